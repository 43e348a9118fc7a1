// SPDX-License-Identifier: Apache-2.0
// The sweep that does what lifecycles say: objects, older versions, lone delete markers and
// unfinished uploads go when they are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "services/call.h"

namespace services::s3 {

// Woken by a new configuration.
inline constexpr char kExpiryTopic[] = "s3/expiry";

enum class ExpiryStage { Objects, Older, Markers, Uploads, Done };

// What a bucket was gone through for: a day, and its configuration's hash.
using ExpiryPass = std::pair<std::int64_t, std::size_t>;

// Where the sweep is, in the bucket that it is in.
struct ExpiryPlace {
  std::string bucket;
  ExpiryPass pass;
  ExpiryStage stage = ExpiryStage::Objects;
  std::size_t range = 0;        // of the prefixes that the rules name
  std::string after;            // a key; "" at the begin of the range
  std::int64_t after_id = 0;    // of that key's older versions or uploads, where not all of them are done
  std::int64_t newer = 0;       // older versions of that key that were passed,
  base::Time since;             // and when the last of them was written
};

// Each bucket is gone through once a day, and again when its configuration changes: everything falls
// due at a midnight.
struct ExpiryState {
  std::optional<ExpiryPlace> place;
  std::map<std::int64_t, ExpiryPass> done;  // the last of each bucket, by its id
};

// One slice; answers when the next is due. Where the call fails the state is as it was.
std::optional<base::Time> expire_objects(Call& call, ExpiryState& state);

}  // namespace services::s3
