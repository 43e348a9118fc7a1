// SPDX-License-Identifier: Apache-2.0
// How requests name an object, and what they are told where there is none.
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

// The bucket, where this caller may: as find_bucket, with what policies may ask about the object that
// is there. `versioned_action` is the one for a request that names a version.
Bucket find_object_bucket(Call& call, const Target& target, std::string_view action, std::string_view versioned_action,
                          PolicyContext context = {});
// The same of a bucket that is known already. Throws AccessDenied.
void check_object_access(Call& call, const Bucket& bucket, const Target& target, std::string_view action,
                         std::string_view versioned_action, PolicyContext context = {});
// Throws KeyTooLongError.
void check_key(const std::string& key);

// That version, or the latest. Throws for what can't be read: NoSuchKey, NoSuchVersion, and delete
// markers, which say that they are some.
Object find_object(Call& call, const Bucket& bucket, const std::string& key, const std::optional<std::string>& version);

// What those markers say.
wire::ApiError not_for_markers(const Object& marker);
// find_object for those that say of the latest version, too, that it is a delete marker, though reading it would be
// NoSuchKey.
Object find_live_object(Call& call, const Bucket& bucket, const std::string& key,
                        const std::optional<std::string>& version);

// Who may not list the bucket is not told whether there is such a key.
wire::ApiError missing_key(const Call& call, const Bucket& bucket, const std::string& key);

// Throws InvalidArgument for what is no version's id.
void check_version_text(const std::optional<std::string>& version);
// The version as answers show it: not at all where the bucket never had versions.
std::optional<std::string> shown_version(const Bucket& bucket, const Object& object);
// To whoever made it: not where it is "null", though everybody else is told so.
std::optional<std::string> new_version(const Object& object);

}  // namespace services::s3
