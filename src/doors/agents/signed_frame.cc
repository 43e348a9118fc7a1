// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/signed_frame.h"

#include <algorithm>
#include <string>

namespace doors::agents {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxHeaders = 16 * 1024;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<SignedFrame> split_frame(std::string_view text) {
  if (text.starts_with('{')) return std::nullopt;
  const std::size_t end = text.substr(0, kMaxHeaders).find("\r\n\r\n");
  if (end == text.npos) return std::nullopt;
  SignedFrame frame{.headers = {}, .json = text.substr(end + 2 * kLineEnd.size())};
  for (std::string_view lines = text.substr(0, end); !lines.empty();) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(std::min(lines.size(), line.size() + kLineEnd.size()));
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) continue;
    frame.headers.add(std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
  return frame;
}

}  // namespace doors::agents
