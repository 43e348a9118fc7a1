// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_headers.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxRedirectBytes = 2048;

// Classes whose objects can be read at once. Others would promise what does not happen.
constexpr std::string_view kReadableClasses[] = {"STANDARD",           "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA",
                                                 "INTELLIGENT_TIERING", "GLACIER_IR"};

// Whether a grant names only the owner, who has full control anyway.
bool names_only(const std::string& grant, const std::string& id) {
  return grant == "id=" + id || grant == "id=\"" + id + "\"";
}

}  // namespace

void check_customer_key(const std::optional<std::string>& algorithm, const std::optional<std::string>& key) {
  if (algorithm || key) throw not_implemented("Server-side encryption with customer-provided keys (SSE-C)");
}

void check_encryption(const EncryptionHeaders& wish) {
  check_customer_key(wish.customer_algorithm, wish.customer_key);
  if (wish.method && *wish.method != kEncryption) {
    throw not_implemented("Server-side encryption with " + *wish.method);
  }
  if (wish.kms_key || wish.kms_context) {
    throw invalid_argument("Server Side Encryption with AWS KMS managed key requires HTTP header "
                           "x-amz-server-side-encryption : aws:kms",
                           "x-amz-server-side-encryption", wish.method.value_or("null"));
  }
  if (wish.bucket_key.value_or(false)) throw not_implemented("An S3 Bucket Key, which is a KMS key's,");
}

void check_acl(const Bucket& bucket, const AclHeaders& wish) {
  if (wish.canned && (wish.full_control || wish.read || wish.read_acp || wish.write_acp)) {
    throw invalid_request("Specifying both Canned ACLs and Header Grants is not allowed");
  }
  const bool plain = !wish.canned || *wish.canned == "private" || *wish.canned == "bucket-owner-full-control";
  const bool owners = !wish.full_control || names_only(*wish.full_control, canonical_id(bucket.account));
  if (plain && owners && !wish.read && !wish.read_acp && !wish.write_acp) return;
  throw wire::ApiError("AccessControlListNotSupported", "The bucket does not allow ACLs");
}

std::optional<std::string> stored_storage_class(const std::optional<std::string>& name) {
  if (!name || *name == "STANDARD") return std::nullopt;
  if (std::find(std::begin(kReadableClasses), std::end(kReadableClasses), *name) != std::end(kReadableClasses)) {
    return name;
  }
  const bool archive = *name == "GLACIER" || *name == "DEEP_ARCHIVE";
  throw wire::ApiError("InvalidStorageClass",
                       std::string("The storage class you specified is not valid") +
                           (archive ? ": objects of " + *name + " can't be read at once, and there is nothing else here." : ""))
      .with("StorageClassRequested", *name);
}

std::optional<std::string> stored_encoding(const std::optional<std::string>& encoding) {
  if (!encoding || encoding->find("aws-chunked") == encoding->npos) return encoding;
  std::string kept;
  std::string_view rest = *encoding;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (base::trim(one).empty() || base::equals_ignoring_case(base::trim(one), "aws-chunked")) continue;
    if (!kept.empty()) kept += ",";
    kept += base::trim(one);
  }
  return kept.empty() ? std::nullopt : std::optional(kept);
}

void check_headers(const Headers& headers) {
  std::size_t bytes = 0;
  if (headers.Metadata) {
    for (const auto& [key, value] : *headers.Metadata) bytes += key.size() + value.size();
  }
  if (bytes > kMaxMetadataBytes) {
    throw wire::ApiError("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
        .with("Size", std::to_string(bytes))
        .with("MaxSizeAllowed", std::to_string(kMaxMetadataBytes));
  }
  if (!headers.WebsiteRedirectLocation) return;
  const std::string& location = *headers.WebsiteRedirectLocation;
  if (!location.starts_with("/") && !location.starts_with("http://") && !location.starts_with("https://")) {
    throw wire::ApiError("InvalidRedirectLocation",
                         "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.");
  }
  if (location.size() > kMaxRedirectBytes) {
    throw wire::ApiError("InvalidRedirectLocation", "The length of website redirect location cannot exceed 2,048 characters.");
  }
}

void check_may_tag(const Call& call, const Bucket& bucket, const std::string& key, const Tags& tags) {
  if (tags.empty()) return;
  AccessRequest access{.action = "s3:PutObjectTagging", .key = key};
  for (const auto& [name, value] : tags) access.context["s3:RequestObjectTag/" + name] = value;
  if (!allowed(call, bucket, access)) throw access_denied();
}

}  // namespace services::s3
