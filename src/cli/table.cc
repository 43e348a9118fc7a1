// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "cli/terminal_text.h"

namespace cli {

void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(terminal_text(row[i])));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fit_left(row[i], widths[i]) + "  ";
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

std::string shortened(const std::string& name, std::size_t most) {
  constexpr std::string_view kGap = "...";
  if (name.size() <= most || most <= kGap.size()) return name;
  const std::size_t kept = most - kGap.size(), end = kept / 2;
  return name.substr(0, kept - end) + std::string(kGap) + name.substr(name.size() - end);
}

void print_wrapped(std::ostream& out, const std::string& text, std::size_t indent) {
  const std::size_t width = kScreenWidth - indent;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out << std::string(indent, ' ') << line << '\n';
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = shortened(text.substr(begin, end - begin), width);
    begin = end + 1;
    if (!line.empty() && line.size() + 1 + word.size() > width) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
}

}  // namespace cli
