// SPDX-License-Identifier: Apache-2.0
// Bytes that do not travel through structs: a body that was spooled before its handler runs, and
// what a handler has sent back. Neither is ever whole in memory, unless it is small.
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

// Up to here bytes are a row of the database, so that one commit makes many of them durable; from
// here on they are files.
inline constexpr std::size_t kInlineBytes = 64 * 1024;

// A run of bytes that exists: some of a file, or the bytes themselves.
struct Extent {
  std::string bytes;  // where `file` is empty
  std::string file;   // its name
  std::uint64_t offset = 0, length = 0;  // of the file
};

// Asked for before a body is read: what is to be found out about it on the way.
struct Spool {
  std::set<base::Checksum> checksums;          // beside MD5, and those that x-amz-trailer announces
  std::uint64_t max_bytes = 0;                 // more is refused: EntityTooLarge
  std::optional<std::vector<Extent>> source;   // these bytes instead of the client's
  std::string note;                            // for the handler, who finds it in its Upload
};

// A body that has been read to its end, and is durable. A file belongs to the handler from now
// on: it is kept where the call is committed, and deleted where it fails.
struct Upload {
  std::uint64_t size = 0;
  std::string md5;                                   // raw, as the checksums are
  std::map<base::Checksum, std::string> checksums;   // those that were asked for
  std::string bytes;                                 // up to kInlineBytes
  std::string file;                                  // else its name
  base::Headers trailers;                            // what followed an aws-chunked body
  std::string note;                                  // the Spool's
};

}  // namespace services
