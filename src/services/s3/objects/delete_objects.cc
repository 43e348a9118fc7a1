// SPDX-License-Identifier: Apache-2.0
// DeleteObject and DeleteObjects.
#include "services/s3/objects/delete_objects.h"

#include <algorithm>

#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_access.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

const std::optional<std::string> kNoOwner;  // the bucket's owner was checked before

struct Deletion {
  const std::string& key;
  const std::optional<std::string>& version;
  const std::optional<std::string>& etag;    // If-Match
  const std::optional<bool>& bypass;         // of the retention mode GOVERNANCE
};

// Whether there is an event for a key without an object: Amazon sends one for DeleteObjects only.
enum class Missing { Silent, Announced };

struct Outcome {
  bool marker = false;                 // a delete marker was created or deleted
  std::optional<std::string> version;  // of the new marker, or of the deleted version
};

// Amazon applies the condition to the latest version, whichever version is deleted.
void check_condition(Call& call, const Bucket& bucket, const Deletion& deletion) {
  if (!deletion.etag) return;
  if (!allowed(call, bucket, {.action = "s3:GetObject", .key = deletion.key})) throw access_denied();
  auto standing = load_latest_summary(call.tx, bucket, deletion.key);
  if (!standing) throw no_such_key(deletion.key);
  if (standing->marker || !etag_matches(*deletion.etag, standing->etag)) throw precondition_failed("If-Match");
}

Outcome delete_one(Call& call, const Bucket& bucket, const Deletion& deletion, Missing missing) {
  check_condition(call, bucket, deletion);
  Outcome outcome;
  if (deletion.version) {
    outcome.version = deletion.version;
    auto object = load_version(call.tx, bucket, deletion.key, *deletion.version);
    if (!object) return outcome;
    const bool bypass = may_bypass(call, bucket, deletion.key, deletion.bypass);
    if (object->lock.protects(call.now, bypass)) throw protected_error();
    delete_version(call, bucket, *object);
    outcome.marker = object->marker;
    publish_event(call, bucket, "ObjectRemoved:Delete", *object);
    return outcome;
  }
  const Deleted deleted = delete_latest(call, bucket, deletion.key);
  if (deleted.marker) {
    outcome.marker = true;
    outcome.version = deleted.marker->version();
    publish_event(call, bucket, "ObjectRemoved:DeleteMarkerCreated", *deleted.marker);
  } else if (deleted.removed) {
    publish_event(call, bucket, "ObjectRemoved:Delete", *deleted.removed);
  } else if (missing == Missing::Announced) {
    Object never;
    never.key = deletion.key;
    publish_event(call, bucket, "ObjectRemoved:Delete", never);
  }
  return outcome;
}

void check_bypass(const Bucket& bucket, const std::optional<bool>& bypass) {
  if (!bypass || bucket.object_lock) return;
  throw invalid_argument("x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.",
                         "x-amz-bypass-governance-retention");
}

// One key of DeleteObjects. Its error does not affect the other keys.
Outcome delete_identified(Call& call, const Bucket& bucket, const shape::ObjectIdentifier& identifier,
                          const std::optional<bool>& bypass) {
  check_key(identifier.Key);
  check_object_access(call, bucket, {bucket.name, identifier.Key, identifier.VersionId, kNoOwner}, "s3:DeleteObject",
                      "s3:DeleteObjectVersion");
  if (identifier.LastModifiedTime) throw header_not_implemented("LastModifiedTime");
  if (identifier.Size) throw header_not_implemented("Size");
  if (identifier.VersionId && *identifier.VersionId != "null" && !parse_row_id(*identifier.VersionId)) {
    throw no_such_version(identifier.Key, *identifier.VersionId);
  }
  const Deletion deletion{identifier.Key, identifier.VersionId, identifier.ETag, bypass};
  return delete_one(call, bucket, deletion, Missing::Announced);
}

shape::DeletedObject shown(const shape::ObjectIdentifier& identifier, const Outcome& outcome) {
  shape::DeletedObject shown{.Key = identifier.Key, .VersionId = identifier.VersionId};
  if (outcome.marker) {
    shown.DeleteMarker = true;
    shown.DeleteMarkerVersionId = outcome.version;
  }
  return shown;
}

// About three milliseconds of the writer.
constexpr std::size_t kDeletesPerSlice = 50;

// Of DeleteObjects.
struct Progress {
  std::size_t next = 0;  // the first key that was not deleted yet
  std::vector<shape::DeletedObject> deleted;
  std::vector<shape::Error> errors;
};

}  // namespace

shape::DeleteObjectOutput delete_object(Call& call, const shape::DeleteObjectRequest& request) {
  if (request.IfMatchLastModifiedTime) throw header_not_implemented("x-amz-if-match-last-modified-time");
  if (request.IfMatchSize) throw header_not_implemented("x-amz-if-match-size");
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:DeleteObject", "s3:DeleteObjectVersion");
  check_bypass(bucket, request.BypassGovernanceRetention);
  const Deletion deletion{request.Key, request.VersionId, request.IfMatch, request.BypassGovernanceRetention};
  const Outcome outcome = delete_one(call, bucket, deletion, Missing::Silent);
  shape::DeleteObjectOutput output{.VersionId = outcome.version};
  if (outcome.marker) output.DeleteMarker = true;
  return output;
}

shape::DeleteObjectsOutput delete_objects(ObjectCall& call, const shape::DeleteObjectsRequest& request) {
  const auto& identifiers = request.Delete.Objects;
  if (identifiers.empty() || identifiers.size() > kMaxDeletes) throw malformed_xml();
  // Access is checked for each key, so only the bucket's existence and owner are checked here.
  auto bucket = load_bucket(call.tx, request.Bucket);
  if (!bucket) throw no_such_bucket(request.Bucket);
  if (!is_expected_owner(*bucket, request.ExpectedBucketOwner)) throw access_denied();
  check_bypass(*bucket, request.BypassGovernanceRetention);

  auto progress = std::make_shared<Progress>();
  if (call.progress) *progress = *static_cast<const Progress*>(call.progress.get());
  const std::size_t end = std::min(progress->next + kDeletesPerSlice, identifiers.size());
  for (; progress->next < end; ++progress->next) {
    const shape::ObjectIdentifier& identifier = identifiers[progress->next];
    try {
      Outcome outcome = delete_identified(call, *bucket, identifier, request.BypassGovernanceRetention);
      if (!request.Delete.Quiet.value_or(false)) progress->deleted.push_back(shown(identifier, outcome));
    } catch (const wire::ApiError& error) {
      progress->errors.push_back({identifier.Key, identifier.VersionId, error.code(), error.message()});
    }
  }
  if (end < identifiers.size()) {
    call.wait = Wait{.topic = "", .until = call.now, .again = call.now};
    call.progress = std::move(progress);
    return {};
  }
  shape::DeleteObjectsOutput output;
  if (!progress->deleted.empty()) output.Deleted = std::move(progress->deleted);
  if (!progress->errors.empty()) output.Errors = std::move(progress->errors);
  return output;
}

std::vector<ObjectOperation> delete_object_operations() {
  return {
      operation<&delete_object>("DeleteObject", Access::Write, shape::kDeleteObjectHttp),
      with_digest(object_operation<&delete_objects>("DeleteObjects", Access::Write, shape::kDeleteObjectsHttp)),
  };
}

}  // namespace services::s3
