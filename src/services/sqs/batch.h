// SPDX-License-Identifier: Apache-2.0
// The common part of the batch operations: the ids of their entries, and entries that
// fail one by one.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/sqs/errors.h"
#include "shapes/sqs/errors.h"
#include "shapes/sqs/message_batch.h"

namespace services::sqs {

inline constexpr std::size_t kMaxEntries = 10;
inline constexpr std::size_t kMaxEntryId = 80;

inline bool valid_entry_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxEntryId && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_';
  });
}

template <class Entries>
void check_entries(const Entries& entries, std::string_view entry_name) {
  if (entries.empty()) {
    throw wire::ApiError("EmptyBatchRequest",
                         "There should be at least one " + std::string(entry_name) + " in the request.");
  }
  if (entries.size() > kMaxEntries) {
    throw wire::ApiError("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10. You have sent " +
                                                             std::to_string(entries.size()) + ".");
  }
  std::set<std::string_view> ids;
  for (const auto& entry : entries) {
    if (!valid_entry_id(entry.Id)) {
      throw wire::ApiError("InvalidBatchEntryId", "A batch entry id can only contain alphanumeric characters, hyphens "
                                                  "and underscores. It can be at most 80 letters long.");
    }
    if (!ids.insert(entry.Id).second) {
      throw wire::ApiError("BatchEntryIdsNotDistinct", "Id " + entry.Id + " repeated.");
    }
  }
}

// An entry's failure has the code of the query protocol.
inline shapes::sqs::BatchResultErrorEntry failed_entry(const std::string& id, const wire::ApiError& error) {
  std::string code = error.code();
  if (code.ends_with("Exception")) code.resize(code.size() - 9);
  if (code == "MissingRequiredParameter") code = "MissingParameter";
  for (const wire::ErrorSpec& spec : shapes::sqs::kErrors) {
    if (spec.name == error.code() && !spec.query_code.empty()) code = spec.query_code;
  }
  return {id, error.status() < 500, code, error.message()};
}

// Amazon leaves out a list without entries.
template <class Entry>
void add_entry(std::optional<std::vector<Entry>>& entries, Entry entry) {
  if (!entries) entries.emplace();
  entries->push_back(std::move(entry));
}

// Runs `one` for each entry. An ApiError fails that entry alone.
template <class Result, class Entries, class Fn>
Result for_each_entry(const Entries& entries, Fn&& one) {
  Result result;
  for (const auto& entry : entries) {
    try {
      add_entry(result.Successful, one(entry));
    } catch (const wire::ApiError& error) {
      add_entry(result.Failed, failed_entry(entry.Id, error));
    }
  }
  return result;
}

}  // namespace services::sqs
