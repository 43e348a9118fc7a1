// SPDX-License-Identifier: Apache-2.0
// Immutable bytes: small ones are rows, larger ones files. Several objects may share a blob.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/s3/bytes.h"
#include "services/usage.h"

namespace services::s3 {

// Stores an upload, with one reference.
std::int64_t add_blob(store::Tx& tx, const Upload& upload);
// The bytes, or the name of the file; the extent has no length.
Extent read_blob(store::Tx& tx, std::int64_t blob);

// Adds or removes a reference. The sweep deletes files without references.
void add_reference(store::Tx& tx, std::int64_t blob);
void release_blob(Call& call, std::int64_t blob);
// Releases all parts of an object or an upload, which share nothing, and deletes their rows.
void release_object_parts(Call& call, std::int64_t object);
// Returns what that frees.
Usage release_upload_parts(Call& call, std::int64_t upload);

// The sweep that deletes files waits for this topic.
inline constexpr char kBlobSweepTopic[] = "s3/blobs";
// Files without references. forget_blob() deletes the row once the file is gone.
struct UnusedBlob {
  std::int64_t id = 0;
  std::string file;
};
std::vector<UnusedBlob> unused_blobs(store::Tx& tx, std::int64_t most, std::int64_t after = 0);
void forget_blob(store::Tx& tx, std::int64_t blob);

// Files with references whose names are greater than `after`, in order.
std::vector<std::string> stored_files(store::Tx& tx, const std::string& after, std::int64_t most);

// Whether a row names this file.
bool is_named(store::Tx& tx, const std::string& file);

}  // namespace services::s3
