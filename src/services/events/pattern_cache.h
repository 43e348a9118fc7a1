// SPDX-License-Identifier: Apache-2.0
// Parsed patterns by their text, so that an entry never goes out of date.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "services/events/pattern.h"

namespace services::events {

class PatternCache {
 public:
  // nullptr for an invalid pattern, which no stored rule has.
  std::shared_ptr<const ObjectPattern> get(const std::string& text) {
    auto known = patterns_.with([&](const Patterns& all) {
      const auto found = all.find(text);
      return found == all.end() ? nullptr : found->second;
    });
    if (known) return known;
    auto parsed = parse_pattern(text);
    if (!parsed) return nullptr;
    auto made = std::make_shared<const ObjectPattern>(std::move(*parsed));  // readers may outlive the entry
    patterns_.with([&](Patterns& all) {
      if (all.size() >= kMaxEntries) all.clear();
      all[text] = made;
    });
    return made;
  }

 private:
  static constexpr std::size_t kMaxEntries = 1000;
  using Patterns = std::unordered_map<std::string, std::shared_ptr<const ObjectPattern>>;
  base::Guarded<Patterns> patterns_;
};

}  // namespace services::events
