// SPDX-License-Identifier: Apache-2.0
// Bytes that do not travel in structs: a body that is spooled before its handler runs, and the body of a response.
// Only small ones are ever in memory as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/headers.h"

namespace services::s3 {

// Up to this size bytes are a row of the database, so that one commit makes many of them durable. Larger ones are files.
inline constexpr std::size_t kInlineBytes = 64 * 1024;

// Stored bytes: a range of a file, or the bytes themselves.
struct Extent {
  std::string bytes;                     // where `file` is empty
  std::string file;                      // its name
  std::uint64_t offset = 0, length = 0;  // within the file
};

// Decided before a body is read: what to compute while it is stored.
struct Spool {
  std::set<base::Checksum> checksums;         // beside MD5 and those that x-amz-trailer announces
  std::uint64_t max_bytes = 0;                // a larger body is rejected: EntityTooLarge
  std::optional<std::vector<Extent>> source;  // store these bytes instead of the client's
  std::string note;                           // copied to the Upload, for the handler
  std::size_t keep_bytes = 0;                 // a body up to this size is in the Upload, even where it is a file
};

// A body that was read to its end and is durable. Its file belongs to the handler: it is kept where the call is
// committed, and deleted where it fails.
struct Upload {
  std::uint64_t size = 0;
  std::string md5;                                  // raw, as the checksums are
  std::map<base::Checksum, std::string> checksums;  // those of the Spool
  std::string bytes;                                // up to kInlineBytes
  std::string file;                                 // the name, for more
  base::Headers trailers;                           // of an aws-chunked body
  std::string note;                                 // the Spool's
  std::string kept;                                 // the bytes of a file, up to Spool::keep_bytes
};

}  // namespace services::s3
