// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/copy_source.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/utf8.h"
#include "services/s3/errors.h"
#include "services/s3/objects/object_access.h"

namespace services::s3 {
namespace {

constexpr std::string_view kVersionMark = "?versionId=";

// Amazon states the header's name as its value.
wire::ApiError bad_source() {
  return invalid_argument("Invalid copy source object key", "x-amz-copy-source", "x-amz-copy-source");
}

// Identifies the bytes: a row that is updated in place keeps its id and its bytes.
std::string note_of(const Object& source, const Range& range) {
  return row_id_text({source.id, source.tag.value_or(0)}) + " " + content_range(range, source.size);
}

// "https://bucket.s3.amazonaws.com/key" and "http://host/bucket/key" become "/bucket/key".
std::string without_host(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  if (scheme == 0) return std::string(text);
  const std::size_t slash = std::min(text.find('/', scheme), text.size());
  const std::string_view host = text.substr(scheme, slash - scheme), path = text.substr(slash);
  const std::size_t mark = std::min(host.rfind(".s3."), host.rfind(".s3-"));
  return mark == host.npos ? std::string(path) : "/" + std::string(host.substr(0, mark)) + std::string(path);
}

}  // namespace

CopySource parse_copy_source(const std::string& text) {
  std::string_view rest = text;
  CopySource source;
  if (std::size_t mark = rest.rfind(kVersionMark); mark != rest.npos) {
    source.version = std::string(rest.substr(mark + kVersionMark.size()));
    rest = rest.substr(0, mark);
  }
  const std::string path_of_url = without_host(rest);
  // Some clients encode the slashes, too.
  auto path = base::percent_decode(path_of_url, true);
  if (!path || !base::is_utf8(*path)) throw bad_source();
  std::string_view decoded = *path;
  if (decoded.starts_with("arn:")) throw not_implemented("An access point as the source of a copy");
  if (decoded.starts_with('/')) decoded.remove_prefix(1);
  const std::size_t slash = decoded.find('/');
  if (slash == decoded.npos || slash == 0 || slash + 1 == decoded.size()) throw bad_source();
  source.bucket = decoded.substr(0, slash);
  source.key = decoded.substr(slash + 1);
  check_version_text(source.version);
  return source;
}

FoundSource find_source(Call& call, const CopySource& source, const std::optional<std::string>& expected_owner,
                        const ReadConditions& conditions) {
  Bucket bucket = find_object_bucket(call, {source.bucket, source.key, source.version, expected_owner}, "s3:GetObject",
                                     "s3:GetObjectVersion");
  auto object = source.version ? load_version(call.tx, bucket, source.key, *source.version)
                               : load_latest(call.tx, bucket, source.key);
  if (!object && source.version) throw no_such_version(source.key, *source.version);
  if (!object || (object->marker && !source.version)) throw missing_key(call, bucket, source.key);
  if (object->marker) {
    throw invalid_request("The source of a copy request may not specifically refer to a delete marker by version id.");
  }
  check_copy_source(conditions, *object, call.now);
  return {std::move(bucket), std::move(*object)};
}

void spool_source(ObjectCall& call, const Object& source, const Range& range) {
  call.spool.source = read_extents(call.tx, source, range);
  call.spool.max_bytes = range.length;
  call.spool.note = note_of(source, range);
}

void check_spooled(const ObjectCall& call, const Object& source, const Range& range) {
  if (call.upload && call.upload->note == note_of(source, range)) return;
  throw wire::ApiError("SlowDown", "Please reduce your request rate.");
}

}  // namespace services::s3
