// SPDX-License-Identifier: Apache-2.0
// The loop that carries out lifecycles: it deletes objects, noncurrent versions, delete markers that hide nothing, and
// unfinished uploads when they are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "services/module.h"

namespace services::s3 {

// A new lifecycle wakes it.
inline constexpr char kExpiryTopic[] = "s3/expiry";

enum class ExpiryStage { Objects, Noncurrent, Markers, Uploads, Done };

// Why a bucket is scanned: the day, and the hash of its lifecycle.
using ExpiryPass = std::pair<std::int64_t, std::size_t>;

// How far the scan of a bucket is.
struct ExpiryPosition {
  std::string bucket;
  ExpiryPass pass;
  ExpiryStage stage = ExpiryStage::Objects;
  std::size_t range = 0;      // index of the prefix, of those that the rules name
  std::string after;          // the last key that was looked at; "" at the begin of the range
  std::int64_t after_id = 0;  // the last version or upload of that key; 0 where the key is done
  std::int64_t newer = 0;     // noncurrent versions of that key that were passed,
  base::Time since;           // and when the last of them was written
};

// A bucket is scanned once a day, because everything falls due at a midnight, and again when its lifecycle changes.
struct ExpiryState {
  std::optional<ExpiryPosition> position;
  std::map<std::int64_t, ExpiryPass> done;  // the last pass of each bucket, by the bucket's id
};

// Looks at one slice of one bucket. `state` moves on when the decision is committed, or at once where it has nothing
// to write.
Decision look_for_expired(Call& call, const std::shared_ptr<ExpiryState>& state);

Loop expiry_loop();

}  // namespace services::s3
