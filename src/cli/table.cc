// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "cli/terminal_text.h"

namespace cli {
namespace {

constexpr std::size_t kColumnGap = 2;

// How narrow columns may become. The first column identifies the row; text continues on further lines.
struct Narrowest {
  std::size_t first, text, other;
};
// One after the other, until all columns fit.
constexpr Narrowest kPhases[] = {{12, 24, 12}, {12, 16, 9}, {9, 12, 9}, {8, 10, 8}};

struct TableColumn {
  std::size_t width = 0, heading = 0;
  bool first = false, text = false;

  // Headings are not cut.
  std::size_t narrowest(const Narrowest& limits) const {
    return std::max(heading, text ? limits.text : first ? limits.first : limits.other);
  }
};

std::size_t width_of(const std::vector<TableColumn>& columns) {
  std::size_t width = columns.empty() ? 0 : kColumnGap * (columns.size() - 1);
  for (const TableColumn& column : columns) width += column.width;
  return width;
}

bool has_text(const Rows& rows, std::size_t column) {
  return std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    return column < row.size() && row[column].find(' ') != std::string::npos;
  });
}

std::vector<TableColumn> natural_columns(const Rows& rows) {
  std::vector<TableColumn> columns(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows) {
    columns.resize(std::max(columns.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      columns[i].width = std::max(columns[i].width, display_width(terminal_text(row[i])));
    }
  }
  for (std::size_t i = 0; i < columns.size() && i < rows.front().size(); ++i) {
    columns[i].heading = display_width(terminal_text(rows.front()[i]));
  }
  if (!columns.empty()) columns.front().first = true;
  if (columns.size() > 1) columns.back().text = has_text(rows, columns.size() - 1);
  return columns;
}

// Takes from the widest column, until all fit or none can become narrower.
void fit(std::vector<TableColumn>& columns, const Narrowest& limits, std::size_t most) {
  for (std::size_t width = width_of(columns); width > most; --width) {
    TableColumn* widest = nullptr;
    for (TableColumn& column : columns) {
      if (column.width > column.narrowest(limits) && (!widest || column.width > widest->width)) widest = &column;
    }
    if (!widest) return;
    --widest->width;
  }
}

// Pads and colours one line of cells.
std::string table_line(const std::vector<std::string>& cells, const std::vector<TableColumn>& columns, bool heading, bool colour) {
  std::string line;
  std::size_t last = cells.size();
  while (last > 0 && cells[last - 1].empty()) --last;
  for (std::size_t i = 0; i < last; ++i) {
    const std::string text = cut(cells[i], columns[i].width);
    const std::size_t padding = columns[i].width - display_width(text) + kColumnGap;
    if (colour && !text.empty()) {
      line += heading ? bold(text) : coloured(text, text);
    } else {
      line += text;
    }
    if (i + 1 < last) line.append(padding, ' ');
  }
  return line;
}

}  // namespace

void print_table(std::ostream& out, const Rows& rows) { print_table(out, rows, terminal_of(out)); }

void print_table(std::ostream& out, const Rows& rows, const Terminal& terminal) {
  if (rows.empty()) return;
  std::vector<TableColumn> columns = natural_columns(rows);
  for (const Narrowest& limits : kPhases) fit(columns, limits, terminal.columns);
  const bool wraps = columns.back().text;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    std::vector<std::string> cells = rows[number];
    std::vector<std::string> rest;
    if (wraps && cells.size() == columns.size()) {
      rest = wrapped(terminal_text(cells.back()), columns.back().width);
      cells.back() = rest.empty() ? "" : rest.front();
    }
    out << table_line(cells, columns, number == 0, terminal.colour) << '\n';
    const std::size_t indent = width_of(columns) - columns.back().width;
    for (std::size_t i = 1; i < rest.size(); ++i) out << std::string(indent, ' ') << rest[i] << '\n';
  }
}

std::string shortened(const std::string& name, std::size_t most) {
  constexpr std::string_view kDots = "...";
  if (name.size() <= most || most <= kDots.size()) return name;
  const std::size_t kept = most - kDots.size(), end = kept / 2;
  return name.substr(0, kept - end) + std::string(kDots) + name.substr(name.size() - end);
}

namespace {

// Bytes are columns only in ASCII.
std::string shortened_word(const std::string& word, std::size_t columns) {
  return display_width(word) == word.size() ? shortened(word, columns) : cut(word, columns);
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t width = display_width(word);
    if (!line.empty() && display_width(line) + 1 + width > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + (width > columns ? shortened_word(word, columns) : word);
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::size_t text_columns(const std::ostream& out) {
  const bool standard = out.rdbuf() == std::cout.rdbuf() || out.rdbuf() == std::cerr.rdbuf();
  return standard ? terminal_of(out).columns : kScreenWidth;
}

void print_wrapped(std::ostream& out, const std::string& text, std::size_t indent) {
  for (const std::string& line : wrapped(text, text_columns(out) - indent)) out << std::string(indent, ' ') << line << '\n';
}

}  // namespace cli
