// SPDX-License-Identifier: Apache-2.0
#include "client/shared_files.h"

#include <algorithm>
#include <fstream>

#include "base/bytes.h"

namespace client {
namespace {

// One kind and one name, each perhaps in quotes: `profile "dev"` is "profile dev".
std::string title_of(std::string_view line) {
  std::string_view inner = base::trim(line.substr(1, line.find(']') - 1));
  std::string title;
  for (char c : inner) {
    const bool space = c == ' ' || c == '\t';
    if (c == '"' || c == '\'' || (space && title.ends_with(' '))) continue;
    title += space ? ' ' : c;
  }
  return title;
}

}  // namespace

Sections parse_shared_file(std::string_view text) {
  Sections sections;
  Section* section = nullptr;
  std::string block;  // the setting whose value is a nested block
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = base::trim(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      section = &sections[title_of(content)];
      block.clear();
      continue;
    }
    const std::size_t equals = content.find('=');
    if (!section || equals == content.npos || equals == 0) continue;
    const std::string name = base::to_lower(base::trim(content.substr(0, equals)));
    const std::string_view value = base::trim(content.substr(equals + 1));
    const bool nested = line.front() == ' ' || line.front() == '\t';
    if (nested && !block.empty()) {
      (*section)[block + "." + name] = value;
      continue;
    }
    block = value.empty() ? name : "";
    (*section)[name] = value;
  }
  return sections;
}

Sections read_shared_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char piece[4096];
  while (file.read(piece, sizeof piece) || file.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxSharedFile) return {};
  }
  return parse_shared_file(text);
}

const Section* find_profile(const Sections& sections, const std::string& name) {
  for (const std::string& title : {"profile " + name, name}) {
    const auto found = sections.find(title);
    if (found != sections.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace client
