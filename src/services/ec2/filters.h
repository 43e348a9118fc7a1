// SPDX-License-Identifier: Apache-2.0
// Filters of EC2's lists: a resource must match one value of each filter. Values may have the wildcards * and ?.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "services/page.h"
#include "shapes/ec2/instance.h"

namespace services::ec2 {

using Filters = std::optional<std::vector<shapes::ec2::Filter>>;
using Tags = std::map<std::string, std::string>;
// What a resource has under the name of a filter.
using FilterValues = std::function<std::vector<std::string>(std::string_view name)>;

// A backslash makes the next character of a pattern literal.
bool matches_wildcards(std::string_view pattern, std::string_view text);

// Rejects filters of other names. Filters on tags ("tag:KEY", "tag-key", "tag-value") are always allowed.
void check_filters(const Filters& filters, std::span<const std::string_view> names);
bool passes(const Filters& filters, const Tags& tags, const FilterValues& values);

std::vector<std::string> as_values(const std::optional<std::string>& value);
std::vector<std::string> as_values(const std::optional<bool>& value);

// Sorts a list by its keys and cuts it to a page; the token of the next page, where there is one.
template <class Item, class Key>
std::optional<std::string> cut_list(std::vector<Item>& items, const Page& page, Key&& key_of) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
  std::erase_if(items, [&](const Item& item) { return !page.after.empty() && key_of(item) <= page.after; });
  if (items.size() <= static_cast<std::size_t>(page.size)) return std::nullopt;
  items.resize(static_cast<std::size_t>(page.size));
  return base::to_base64(key_of(items.back()));
}

}  // namespace services::ec2
