// SPDX-License-Identifier: Apache-2.0
// Parsed settings of buckets, by their text: one request parses a setting for all that follow, until it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/guarded.h"

namespace services::s3 {

template <class T>
class TextCache {
 public:
  // Parses with `make` where it is not cached. Shared: the caller may use it longer than the cache keeps it.
  std::shared_ptr<const T> get(std::int64_t bucket, const std::string& text, T (*make)(const std::string& text)) {
    auto known = entries_.with([&](const Entries& entries) -> std::shared_ptr<const T> {
      auto found = entries.find(bucket);
      return found != entries.end() && found->second.text == text ? found->second.value : nullptr;
    });
    if (known) return known;
    auto made = std::make_shared<const T>(make(text));
    entries_.with([&](Entries& entries) {
      if (entries.size() >= kMaxEntries) entries.clear();
      entries[bucket] = {text, made};
    });
    return made;
  }

 private:
  // With more buckets in use at once all are parsed again now and then.
  static constexpr std::size_t kMaxEntries = 1024;

  struct Entry {
    std::string text;
    std::shared_ptr<const T> value;
  };
  using Entries = std::unordered_map<std::int64_t, Entry>;
  base::Guarded<Entries> entries_;
};

}  // namespace services::s3
