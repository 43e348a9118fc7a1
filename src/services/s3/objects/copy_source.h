// SPDX-License-Identifier: Apache-2.0
// The object that CopyObject and UploadPartCopy read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/object_operation.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/objects/ranges.h"

namespace services::s3 {

struct CopySource {
  std::string bucket, key;
  std::optional<std::string> version;
};
// x-amz-copy-source: "bucket/key" or "/bucket/key", percent-encoded, with "?versionId=..." or without.
CopySource parse_copy_source(const std::string& text);

struct FoundSource {
  Bucket bucket;
  Object object;
};

template <class Request>
ReadConditions source_conditions(const Request& r) {
  return {r.CopySourceIfMatch, r.CopySourceIfNoneMatch, r.CopySourceIfModifiedSince, r.CopySourceIfUnmodifiedSince};
}
// Throws where it is not there, where this caller may not read it, and where it is not as it should be.
FoundSource find_source(Call& call, const CopySource& source, const std::optional<std::string>& expected_owner,
                        const ReadConditions& conditions);

// Bytes are read between the snapshot that before_x saw and the transaction of x. Both name what they
// are of; what was written in between makes the client come again.
void spool_source(ObjectCall& call, const Object& source, const Range& range);
void check_spooled(const ObjectCall& call, const Object& source, const Range& range);

}  // namespace services::s3
