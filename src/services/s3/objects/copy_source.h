// SPDX-License-Identifier: Apache-2.0
// The source object of CopyObject and UploadPartCopy.
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
// Throws where the source is missing, where the caller may not read it, and where a condition fails.
FoundSource find_source(Call& call, const CopySource& source, const std::optional<std::string>& expected_owner,
                        const ReadConditions& conditions);

// The bytes are read between the snapshot of the prepare function and the transaction of the handler. A note
// identifies them; the client must retry (SlowDown) where the source changed in between.
void spool_source(ObjectCall& call, const Object& source, const Range& range);
void check_spooled(const ObjectCall& call, const Object& source, const Range& range);

}  // namespace services::s3
