// SPDX-License-Identifier: Apache-2.0
// A page of keys in their order, with all that share a prefix up to a delimiter rolled into one. What
// a prefix hides is passed over by a seek, so that a page costs what it shows.
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

// Where to go on: at this key or the first after it; of this very key only versions before `below`.
struct Position {
  std::string from;
  std::optional<std::int64_t> below;
};

// The first text after all that begin with `prefix`. Larger than any key where there is none.
std::string after_prefix(std::string prefix);
// The first text after this one.
inline std::string after_key(std::string key) { return std::move(key.append(1, '\0')); }

struct Walk {
  std::string prefix, delimiter;
  Position start;
  std::size_t most = 0;

  // `key`'s part up to the first delimiter after the prefix; "" where there is none.
  std::string common_prefix(std::string_view key) const;
  // Where a listing begins that goes on after `marker`.
  Position after_marker(const std::string& marker) const;
};

// One of a page: a row, or a prefix for many.
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

// fetch(position, limit) answers rows with `key` and position_after(), in order, all of them with the
// prefix; fewer than `limit` where there are no more.
template <class Row, class Fetch>
WalkPage<Row> walk_keys(const Walk& walk, Fetch&& fetch) {
  constexpr std::size_t kFirstRows = 16;  // of a fetch where there may be much to pass over
  WalkPage<Row> page;
  if (walk.most == 0) return page;
  const std::size_t wanted = walk.most + 1;  // one more tells whether there is more
  std::size_t rows = walk.delimiter.empty() ? wanted : std::min(wanted, kFirstRows);
  Position position = walk.start;
  std::string hidden;  // the prefix that was listed last
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
    // Few of them useful: seek earlier. All of them: fetch more at once.
    rows = passed * 2 > found.size() ? std::max<std::size_t>(2, rows / 4) : std::min(wanted, rows * 2);
  }
}

}  // namespace services::s3
