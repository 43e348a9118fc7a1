// SPDX-License-Identifier: Apache-2.0
// Bytes that are not members of structs: a request's body, spooled before its handler runs, and the
// response's body. Neither is ever whole in memory, unless it is small.
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

namespace services {

// Up to this size a body is a row of the database, so that one commit makes many durable; larger
// ones are files.
inline constexpr std::size_t kInlineBytes = 64 * 1024;

// A run of bytes: a part of a file, or the bytes themselves.
struct Extent {
  std::string bytes;  // where `file` is empty
  std::string file;   // name
  std::uint64_t offset = 0, length = 0;  // of the file
};

// How a body is to be read, and what is to be computed on the way.
struct Spool {
  std::set<base::Checksum> checksums;          // beside MD5, and those that x-amz-trailer announces
  std::uint64_t max_bytes = 0;                 // a longer body is rejected: EntityTooLarge
  std::optional<std::vector<Extent>> source;   // these bytes instead of the client's
  std::string note;                            // for the handler: copied to its Upload
};

// A body that was read to its end and is durable. A file belongs to the handler: it is kept when
// the call is committed, and deleted when it fails.
struct Upload {
  std::uint64_t size = 0;
  std::string md5;                                   // raw, as the checksums are
  std::map<base::Checksum, std::string> checksums;   // those that the Spool lists
  std::string bytes;                                 // up to kInlineBytes
  std::string file;                                  // the name of the file of a larger one
  base::Headers trailers;                            // of an aws-chunked body
  std::string note;                                  // the Spool's
};

}  // namespace services
