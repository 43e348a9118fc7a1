// SPDX-License-Identifier: Apache-2.0
// All stored bytes with their digests, for a check that they are intact.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "services/call.h"
#include "services/s3/objects/object_row.h"

namespace services::s3 {

// The bytes of an object, of a part of one, or of a part of an unfinished upload.
struct StoredRun {
  std::string bucket, key;
  std::string version;        // "" for an unfinished upload
  std::string upload;         // the upload's id; "" for an object
  std::int64_t part = 0;      // 0: uploaded in one piece
  std::int64_t size = 0;
  std::string md5;            // in hexadecimal; "" where unknown
  std::optional<StoredChecksum> checksum;
  std::int64_t blob = 0;
  std::optional<Extent> bytes;  // nullopt: their row is missing
};

// A position of the walk: after this row of this table.
struct RunPosition {
  enum Table { Objects, ObjectParts, UploadParts, Done };
  Table table = Objects;
  std::int64_t id = 0, part = 0;
};

// The next runs; moves `place` on. Small bytes are included, so `most` should be small.
std::vector<StoredRun> next_runs(store::Tx& tx, RunPosition& place, std::int64_t most);

// Raw; empty where none is known.
std::map<base::Checksum, std::string> digests_of(const StoredRun& run);

// Whether the bytes are still in use. They may have been deleted since they were listed.
bool is_used(store::Tx& tx, const StoredRun& run);
// Those of these files that a row names.
std::vector<std::string> named_files(store::Tx& tx, const std::vector<std::string>& files);

}  // namespace services::s3
