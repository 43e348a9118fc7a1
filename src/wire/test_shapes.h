// SPDX-License-Identifier: Apache-2.0
// A shape with a member of every kind, for tests and fuzzing.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/boxed.h"
#include "wire/traits.h"

namespace wire::test {

inline constexpr std::string_view kColors[] = {"red", "green"};
inline constexpr Member kShortText{.max = 3};
inline constexpr Member kInner{.item = "n"};

struct Leaf {
  std::string Id;
  std::optional<std::int32_t> Number;
  bool operator==(const Leaf&) const = default;
};
BOOST_DESCRIBE_STRUCT(Leaf, (), (Id, Number))

struct Everything {
  std::string Name;
  std::optional<bool> Flag;
  std::optional<std::int32_t> Small;
  std::optional<std::int64_t> Big;
  std::optional<float> Single;
  std::optional<double> Real;
  std::optional<base::Time> When;
  std::optional<base::Blob> Bytes;
  std::optional<std::string> Color;
  std::optional<std::vector<std::string>> Words;
  std::optional<std::vector<std::string>> Flat;
  std::optional<std::vector<std::vector<std::int32_t>>> Grid;
  std::optional<std::map<std::string, std::string>> Tags;
  std::optional<std::map<std::string, Leaf>> Leaves;
  std::optional<std::vector<Leaf>> Rows;
  std::optional<Leaf> One;
  std::optional<Boxed<Everything>> Self;
  std::optional<std::string> namespace_;
  std::optional<std::string> Mark;
  bool operator==(const Everything&) const = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (Name, Flag, Small, Big, Single, Real, When, Bytes, Color, Words, Flat, Grid, Tags, Leaves, Rows,
                       One, Self, namespace_, Mark))

// The only member is the text of the root element.
struct Alone {
  std::optional<std::string> Word;
};
BOOST_DESCRIBE_STRUCT(Alone, (), (Word))

}  // namespace wire::test

template <>
inline constexpr auto wire::kTraits<wire::test::Leaf> = wire::traits({
    {.member = "Id", .required = true, .min = 1},
});

template <>
inline constexpr auto wire::kTraits<wire::test::Alone> = wire::traits({.xml = "Word", .unwrapped = true},
                                                                      {
                                                                          {.member = "Word"},
                                                                      });

template <>
inline constexpr auto wire::kTraits<wire::test::Everything> = wire::traits({
    {.member = "Name", .required = true, .min = 1, .max = 5},
    {.member = "Small", .min = 1, .max = 10},
    {.member = "Color", .one_of = wire::test::kColors},
    {.member = "Words", .max = 2, .of = &wire::test::kShortText},
    {.member = "Flat", .xml = "FlatItem", .flattened = true},
    {.member = "Grid", .item = "row", .of = &wire::test::kInner},
    {.member = "Tags", .xml = "Tag", .flattened = true, .key = "Key", .value = "Value"},
    {.member = "namespace_", .name = "namespace", .pattern = "[a-z]+"},
    {.member = "Mark", .xml = "mark", .attribute = true, .secret = true},
});
