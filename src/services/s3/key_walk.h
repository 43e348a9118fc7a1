// SPDX-License-Identifier: Apache-2.0
// A page of keys in order. Keys that share a prefix up to a delimiter become one item. A seek skips the rest of such
// a prefix, so that a page costs what it shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace services::s3 {

// Where a listing continues: at this key or the first after it; of this very key, only at versions with ids less than
// `below`.
struct Position {
  std::string from;
  std::optional<std::int64_t> below;
};

// The first string after all that begin with `prefix`; greater than any key where there is none.
std::string after_prefix(std::string prefix);
// The first string after this one.
inline std::string after_key(std::string key) { return std::move(key.append(1, '\0')); }

struct Walk {
  std::string prefix, delimiter;
  Position start;
  std::size_t most = 0;

  // The key up to the first delimiter after the prefix; "" without one.
  std::string common_prefix(std::string_view key) const;
  // The first position after `marker`.
  Position after_marker(const std::string& marker) const;
};

// An item of a page: a row, or a common prefix.
template <class Row>
struct WalkItem {
  std::optional<Row> row;
  std::string prefix;
};

template <class Row>
struct WalkPage {
  std::vector<WalkItem<Row>> items;
  bool truncated = false;
};

// fetch(position, limit) returns rows with `key` and position_after(), in order, all with the prefix; fewer than
// `limit` at the end.
template <class Row, class Fetch>
WalkPage<Row> walk_keys(const Walk& walk, Fetch&& fetch) {
  constexpr std::size_t kFirstRows = 16;  // of the first fetch, where a delimiter may hide many rows
  WalkPage<Row> page;
  if (walk.most == 0) return page;
  const std::size_t wanted = walk.most + 1;  // one more than shown, to see whether the page is the last
  std::size_t rows = walk.delimiter.empty() ? wanted : std::min(wanted, kFirstRows);
  Position position = walk.start;
  std::string hidden;  // the common prefix that was listed last
  while (true) {
    std::vector<Row> found = fetch(position, rows);
    const bool last = found.size() < rows;
    std::size_t passed = 0;
    for (Row& row : found) {
      if (!hidden.empty() && row.key.starts_with(hidden)) {
        ++passed;
        continue;
      }
      hidden = walk.common_prefix(row.key);
      if (page.items.size() == walk.most) {
        page.truncated = true;
        return page;
      }
      position = row.position_after();
      page.items.push_back(hidden.empty() ? WalkItem<Row>{std::move(row), {}} : WalkItem<Row>{std::nullopt, hidden});
    }
    if (last) return page;
    if (!hidden.empty()) position = {after_prefix(hidden), std::nullopt};
    // Seek sooner where most rows were hidden; else fetch more at once.
    rows = passed * 2 > found.size() ? std::max<std::size_t>(2, rows / 4) : std::min(wanted, rows * 2);
  }
}

}  // namespace services::s3
