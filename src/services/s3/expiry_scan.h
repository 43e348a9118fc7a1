// SPDX-License-Identifier: Apache-2.0
// Reads a bounded slice of a bucket, and finds the rows that its lifecycle takes now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/expiry.h"

namespace services::s3 {

struct ExpiredRow {
  ExpiryStage stage = ExpiryStage::Objects;
  std::int64_t id = 0;  // of the version or the upload
  std::string key;
  std::string version;  // as Object::version(); "" for an upload
};

struct ExpiryScan {
  store::Tx& tx;
  base::Time now;
  const Bucket& bucket;
  const LifecycleRules& rules;
  ExpiryPosition& position;
  std::string from, end;  // the keys of this range that were not looked at yet
  std::vector<ExpiredRow> expired;

  // Moves `position` on. False where the range has more.
  bool run();

 private:
  bool scan_objects();
  bool scan_noncurrent();
  bool scan_markers();
  bool scan_uploads();
  bool is_due(const std::optional<Due>& due) const { return due && due->at <= now; }
  // False where the slice is full.
  bool add(const Object& object);
};

bool has_noncurrent_versions(store::Tx& tx, const Bucket& bucket, const std::string& key);

}  // namespace services::s3
