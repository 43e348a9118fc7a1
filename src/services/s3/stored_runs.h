// SPDX-License-Identifier: Apache-2.0
// All bytes that S3 keeps, with what is known of them: for whoever checks that they are still the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/s3/objects/object_row.h"

namespace services::s3 {

// Of an object that came in one, of a part of one that did not, or of a part of an open upload.
struct StoredRun {
  std::string bucket, key;
  std::string version;        // "" of an open upload,
  std::string upload;         // which has this
  std::int64_t part = 0;      // 0: came in one
  std::int64_t size = 0;
  std::string md5;            // in hexadecimal; "" where it is not known
  std::optional<StoredChecksum> checksum;
  std::int64_t blob = 0;
  std::optional<Extent> bytes;  // nullopt: not even their row is there
};

// Where a walk is: after this row of this table.
struct RunPlace {
  enum Table { Objects, ObjectParts, UploadParts, Done };
  Table table = Objects;
  std::int64_t id = 0, part = 0;
};

// The next of them; `place` moves on. Small bytes come along, so `most` should not be large.
std::vector<StoredRun> next_runs(store::Tx& tx, RunPlace& place, std::int64_t most);

// Does anybody still use them? What was deleted since it was listed may well be gone.
bool is_used(store::Tx& tx, const StoredRun& run);
// Of these files, those that a row names.
std::vector<std::string> named_files(store::Tx& tx, const std::vector<std::string>& files);

}  // namespace services::s3
