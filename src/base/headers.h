// SPDX-License-Identifier: Apache-2.0
// The header lines of an HTTP message, in order. Names are case-insensitive.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace base {

class Headers {
 public:
  using Line = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Line> lines) : lines_(lines) {}

  // The first line of that name.
  const std::string* find(std::string_view name) const {
    for (const Line& line : lines_) {
      if (equals_ignoring_case(line.first, name)) return &line.second;
    }
    return nullptr;
  }
  // The first line's value, or "".
  std::string_view get(std::string_view name) const {
    const std::string* value = find(name);
    return value ? std::string_view(*value) : std::string_view();
  }
  void add(std::string name, std::string value) { lines_.emplace_back(std::move(name), std::move(value)); }
  void set(std::string name, std::string value) {
    std::erase_if(lines_, [&](const Line& line) { return equals_ignoring_case(line.first, name); });
    add(std::move(name), std::move(value));
  }

  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }
  std::size_t size() const { return lines_.size(); }
  bool empty() const { return lines_.empty(); }

 private:
  std::vector<Line> lines_;
};

}  // namespace base
