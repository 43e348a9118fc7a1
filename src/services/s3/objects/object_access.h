// SPDX-License-Identifier: Apache-2.0
// How requests name an object, and the errors for a missing one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/s3/objects/object_row.h"
#include "wire/error.h"

namespace services::s3 {

// The members that such requests have in common.
struct Target {
  const std::string& bucket;
  const std::string& key;
  const std::optional<std::string>& version;
  const std::optional<std::string>& expected_owner;
};
inline const std::optional<std::string> kNoVersion;

using PolicyContext = std::map<std::string, std::string>;

// Like find_bucket(), with the policy context of the object. `versioned_action` is the action of a request that names
// a version.
Bucket find_object_bucket(Call& call, const Target& target, std::string_view action, std::string_view versioned_action,
                          PolicyContext context = {});
// The access check alone. Throws AccessDenied.
void check_object_access(Call& call, const Bucket& bucket, const Target& target, std::string_view action,
                         std::string_view versioned_action, PolicyContext context = {});
// Throws KeyTooLongError.
void check_key(const std::string& key);

// The named version, or the latest. Throws NoSuchKey and NoSuchVersion, and for a delete marker the error that Amazon
// has for it.
Object find_object(Call& call, const Bucket& bucket, const std::string& key, const std::optional<std::string>& version);

// The error of a request that names a delete marker by its version.
wire::ApiError delete_marker_error(const Object& marker);
// Like find_object(), for operations that answer MethodNotAllowed, not NoSuchKey, where the latest version is a
// delete marker.
Object find_live_object(Call& call, const Bucket& bucket, const std::string& key,
                        const std::optional<std::string>& version);

// NoSuchKey, or AccessDenied for callers who may not list the bucket.
wire::ApiError missing_key(const Call& call, const Bucket& bucket, const std::string& key);

// Throws InvalidArgument for an invalid version id.
void check_version_text(const std::optional<std::string>& version);
// The version as responses show it: absent where the bucket never had versioning.
std::optional<std::string> shown_version(const Bucket& bucket, const Object& object);
// The version in the response of a write: absent for "null", unlike in all other responses.
std::optional<std::string> new_version(const Object& object);

}  // namespace services::s3
