// SPDX-License-Identifier: Apache-2.0
// Bytes that are rows are verified whenever they are read: SQLite's pages have no checksums.
#pragma once

#include <string_view>

#include "services/s3/objects/object_row.h"

namespace services::s3 {

// What is known of the bytes.
struct SmallDigest {
  std::uint64_t size = 0;
  std::string_view etag;                     // of a part, or of an object
  const StoredChecksum* checksum = nullptr;  // of the whole bytes; preferred, because it costs less
};

// Throws InternalError, and logs it, where they are not what was uploaded.
void require_intact(std::string_view bytes, const SmallDigest& digest, const Object& object);

}  // namespace services::s3
