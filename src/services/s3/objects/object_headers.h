// SPDX-License-Identifier: Apache-2.0
// The headers of requests that write objects: stored, or rejected where Stoker does not support them.
#pragma once

#include <optional>
#include <string>

#include "services/s3/objects/object_access.h"
#include "services/s3/objects/object_row.h"

namespace services::s3 {

// Every object reports it, as at Amazon.
inline constexpr char kEncryption[] = "AES256";
inline constexpr char kDefaultContentType[] = "binary/octet-stream";

struct EncryptionHeaders {
  const std::optional<std::string>& method;
  const std::optional<std::string>& customer_algorithm;
  const std::optional<std::string>& customer_key;
  const std::optional<std::string>& kms_key;
  const std::optional<std::string>& kms_context;
  const std::optional<bool>& bucket_key;
};
void check_encryption(const EncryptionHeaders& wish);
// Rejects SSE-C, for requests that have no other encryption headers.
void check_customer_key(const std::optional<std::string>& algorithm, const std::optional<std::string>& key);

struct AclHeaders {
  const std::optional<std::string>& canned;
  const std::optional<std::string>& full_control;
  const std::optional<std::string>& read;
  const std::optional<std::string>& read_acp;
  const std::optional<std::string>& write_acp;
};
// Accepts what states the bucket owner's full control. Throws AccessControlListNotSupported for the rest.
void check_acl(const Bucket& bucket, const AclHeaders& wish);

// nullopt for STANDARD, which responses omit. Throws for archive classes.
std::optional<std::string> stored_storage_class(const std::optional<std::string>& name);
// Without aws-chunked, which describes the transfer and not the object.
std::optional<std::string> stored_encoding(const std::optional<std::string>& encoding);
// Throws MetadataTooLarge and InvalidRedirectLocation.
void check_headers(const Headers& headers);

template <class Request>
Headers read_headers(const Request& r) {
  check_encryption({r.ServerSideEncryption, r.SSECustomerAlgorithm, r.SSECustomerKey, r.SSEKMSKeyId,
                    r.SSEKMSEncryptionContext, r.BucketKeyEnabled});
  Headers headers{r.CacheControl,
                  r.ContentDisposition,
                  stored_encoding(r.ContentEncoding),
                  r.ContentLanguage,
                  r.ContentType,
                  r.Expires,
                  r.WebsiteRedirectLocation,
                  stored_storage_class(r.StorageClass),
                  r.Metadata};
  if (headers.ContentType == "") headers.ContentType.reset();
  check_headers(headers);
  return headers;
}

template <class Request>
AclHeaders acl_headers(const Request& r) {
  return {r.ACL, r.GrantFullControl, r.GrantRead, r.GrantReadACP, r.GrantWriteACP};
}

// The policy context of such a request.
template <class Request>
PolicyContext write_context(const Request& r, const Tags& tags) {
  PolicyContext context;
  if (r.ACL) context["s3:x-amz-acl"] = *r.ACL;
  if (r.ServerSideEncryption) context["s3:x-amz-server-side-encryption"] = *r.ServerSideEncryption;
  if (r.StorageClass) context["s3:x-amz-storage-class"] = *r.StorageClass;
  for (const auto& [key, value] : tags) context["s3:RequestObjectTag/" + key] = value;
  return context;
}

// A request that writes tags also needs s3:PutObjectTagging.
void check_may_tag(const Call& call, const Bucket& bucket, const std::string& key, const Tags& tags);

// Copies stored headers into a response.
template <class Output>
void show_headers(Output& output, const Headers& headers) {
  output.CacheControl = headers.CacheControl;
  output.ContentDisposition = headers.ContentDisposition;
  output.ContentEncoding = headers.ContentEncoding;
  output.ContentLanguage = headers.ContentLanguage;
  output.ContentType = headers.ContentType.value_or(kDefaultContentType);
  output.Expires = headers.Expires;
  output.WebsiteRedirectLocation = headers.WebsiteRedirectLocation;
  output.StorageClass = headers.StorageClass;
  output.Metadata = headers.Metadata;
}

}  // namespace services::s3
