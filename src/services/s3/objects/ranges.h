// SPDX-License-Identifier: Apache-2.0
// Ranges of an object's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/objects/object_row.h"

namespace services::s3 {

struct Range {
  std::uint64_t offset = 0, length = 0;
};

// "bytes=0-9", "bytes=5-", "bytes=-3" of `size` bytes. nullopt for several ranges and for an invalid range: then S3
// sends the whole object. Throws InvalidRange for a range beyond the end.
std::optional<Range> parse_range(std::string_view text, std::uint64_t size);
// x-amz-copy-source-range: only "bytes=first-last", within the source.
Range parse_copy_range(const std::string& text, std::uint64_t size);
// "bytes 0-9/100"
std::string content_range(const Range& range, std::uint64_t size);

struct ObjectPart {
  std::int64_t number = 0;
  Range range;
  std::string etag;
  std::optional<std::string> checksum;
};
std::optional<ObjectPart> load_object_part(store::Tx& tx, const Object& object, std::int64_t number);

// Where these bytes are stored.
std::vector<Extent> read_extents(store::Tx& tx, const Object& object, const Range& range);

}  // namespace services::s3
