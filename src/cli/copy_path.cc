// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_path.h"

#include <string_view>

namespace cli {
namespace {

std::string escape(const std::string& text, std::string_view special) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::optional<RemotePath> remote_path(const std::string& text) {
  if (text.empty() || text.front() == '/' || text.front() == '.') return std::nullopt;
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || text.find('/') < colon) return std::nullopt;
  return RemotePath{text.substr(0, colon), text.substr(colon + 1)};
}

SplitPath split_path(std::string path) {
  const bool contents = path == "." || path.ends_with("/.");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (contents || path == "/") return {path, "."};
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string transform_pattern(const std::string& text) { return escape(text, "\\.[]*^$,"); }
std::string transform_replacement(const std::string& text) { return escape(text, "\\&,"); }

}  // namespace cli
