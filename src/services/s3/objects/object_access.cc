// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_access.h"

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

// Few policies name such tags; only those cost a read of the object before access is decided.
bool asks_for_tags(const Bucket& bucket) {
  return bucket.policy && base::to_lower(*bucket.policy).find("s3:existingobjecttag/") != std::string::npos;
}

void add_existing_tags(Call& call, const Bucket& bucket, const Target& target, PolicyContext& context) {
  auto object = target.version ? load_version(call.tx, bucket, target.key, *target.version)
                               : load_latest(call.tx, bucket, target.key);
  if (!object) return;
  for (const auto& [key, value] : object->tags) context["s3:ExistingObjectTag/" + key] = value;
}

}  // namespace

void check_key(const std::string& key) {
  if (key.size() <= kMaxKeyBytes) return;
  throw wire::ApiError("KeyTooLongError", "Your key is too long")
      .with("Size", std::to_string(key.size()))
      .with("MaxSizeAllowed", std::to_string(kMaxKeyBytes));
}

void check_object_access(Call& call, const Bucket& bucket, const Target& target, std::string_view action,
                         std::string_view versioned_action, PolicyContext context) {
  if (asks_for_tags(bucket)) add_existing_tags(call, bucket, target, context);
  if (target.version) context["s3:VersionId"] = *target.version;
  const AccessRequest access{.action = target.version ? versioned_action : action, .key = target.key, .context = std::move(context)};
  if (!allowed(call, bucket, access)) throw access_denied();
}

Bucket find_object_bucket(Call& call, const Target& target, std::string_view action, std::string_view versioned_action,
                          PolicyContext context) {
  check_key(target.key);
  check_version_text(target.version);
  std::optional<Bucket> bucket = load_bucket(call.tx, target.bucket);
  if (!bucket) throw no_such_bucket(target.bucket);
  if (!is_expected_owner(*bucket, target.expected_owner)) throw access_denied();
  check_object_access(call, *bucket, target, action, versioned_action, std::move(context));
  return std::move(*bucket);
}

wire::ApiError delete_marker_error(const Object& marker) {
  return wire::ApiError("MethodNotAllowed", "The specified method is not allowed against this resource.")
      .with("ResourceType", "DeleteMarker")
      .with_header("Allow", "DELETE")
      .with_header("x-amz-delete-marker", "true")
      .with_header("x-amz-version-id", marker.version())
      .with_header("Last-Modified", wire::to_rfc822(marker.modified_at));
}

Object find_object(Call& call, const Bucket& bucket, const std::string& key,
                   const std::optional<std::string>& version) {
  if (version) {
    auto object = load_version(call.tx, bucket, key, *version);
    if (!object) throw no_such_version(key, *version);
    if (!object->marker) return std::move(*object);
    throw delete_marker_error(*object);
  }
  auto object = load_latest(call.tx, bucket, key);
  if (!object) throw missing_key(call, bucket, key);
  if (!object->marker) return std::move(*object);
  throw missing_key(call, bucket, key)
      .with_header("x-amz-delete-marker", "true")
      .with_header("x-amz-version-id", object->version());
}

Object find_live_object(Call& call, const Bucket& bucket, const std::string& key,
                        const std::optional<std::string>& version) {
  if (version) return find_object(call, bucket, key, version);
  auto latest = load_latest(call.tx, bucket, key);
  if (!latest) throw missing_key(call, bucket, key);
  if (latest->marker) throw delete_marker_error(*latest);
  return std::move(*latest);
}

wire::ApiError missing_key(const Call& call, const Bucket& bucket, const std::string& key) {
  return allowed(call, bucket, {.action = "s3:ListBucket"}) ? no_such_key(key) : access_denied();
}

void check_version_text(const std::optional<std::string>& version) {
  if (!version || *version == "null" || parse_row_id(*version)) return;
  if (version->empty()) throw invalid_argument("Version id cannot be the empty string", "versionId", "");
  throw invalid_argument("Invalid version id specified", "versionId", *version);
}

std::optional<std::string> shown_version(const Bucket& bucket, const Object& object) {
  if (!bucket.versioning) return std::nullopt;
  return object.version();
}

std::optional<std::string> new_version(const Object& object) {
  return object.tag ? std::optional(object.version()) : std::nullopt;
}

}  // namespace services::s3
