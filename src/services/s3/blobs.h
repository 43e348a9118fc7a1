// SPDX-License-Identifier: Apache-2.0
// Bytes that do not change any more: small ones a row, others a file that somebody else reads and
// deletes. Several objects may share one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/s3/bytes.h"

namespace services::s3 {

// What was uploaded, used once.
std::int64_t add_blob(store::Tx& tx, const Upload& upload);
// Some of one. `length` is within it.
Extent read_blob(store::Tx& tx, std::int64_t blob, std::uint64_t offset, std::uint64_t length);

// One more, or one less, that uses these bytes. Those that nobody uses are given to the sweep.
void hold_blob(store::Tx& tx, std::int64_t blob);
void release_blob(Call& call, std::int64_t blob);
// All of an object's parts, or of an upload's, which nobody shares; their rows go with them.
void release_object_parts(Call& call, std::int64_t object);
void release_upload_parts(Call& call, std::int64_t upload);

// The sweep that deletes the files of blobs waits for this.
inline constexpr char kBlobSweepTopic[] = "s3/blobs";
// Files that nobody uses, and after they are deleted: their rows go, too.
struct UnusedBlob {
  std::int64_t id = 0;
  std::string file;
};
std::vector<UnusedBlob> unused_blobs(store::Tx& tx, std::int64_t most, std::int64_t after = 0);
void forget_blob(store::Tx& tx, std::int64_t blob);

// Does a row name this file?
bool is_named(store::Tx& tx, const std::string& file);

}  // namespace services::s3
