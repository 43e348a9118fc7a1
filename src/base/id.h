// SPDX-License-Identifier: Apache-2.0
// A string that identifies one kind of resource and does not convert to the id of another.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace base {

template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}

  const std::string& str() const { return value_; }
  bool empty() const { return value_.empty(); }
  auto operator<=>(const Id&) const = default;

 private:
  std::string value_;
};

}  // namespace base

template <class Tag>
struct std::hash<base::Id<Tag>> {
  std::size_t operator()(const base::Id<Tag>& id) const noexcept { return std::hash<std::string>{}(id.str()); }
};
