// SPDX-License-Identifier: Apache-2.0
// A form's fields are the headers of a PutObject. This adds the form's policy and a response for browsers.
#include "services/s3/objects/post_object.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/utf8.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/objects/post_policy.h"
#include "services/s3/operations.h"
#include "services/s3/quota.h"
#include "shapes/s3/bucket_settings.h"
#include "shapes/s3/object.h"
#include "wire/timestamp.h"
#include "wire/xml.h"

namespace services::s3 {
namespace {

constexpr std::string_view kFileName = "${filename}";
constexpr std::string_view kMetadataPrefix = "x-amz-meta-";

std::optional<std::string> field(const FormFields& fields, const std::string& name) {
  auto found = fields.find(name);
  return found == fields.end() ? std::nullopt : std::optional(found->second);
}

// Old browsers send the whole path.
std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string key_of(const FormFields& fields, const PostObjectRequest& request) {
  std::string key = field(fields, "key").value_or("");
  if (key.empty()) {
    throw invalid_argument("Bucket POST must contain a field named 'key'.  If it is specified, please check the order "
                           "of the fields.",
                           "key", "");
  }
  // A file without a name leaves the key as it is.
  const std::string name = base_name(request.FileName.value_or(""));
  std::size_t at = name.empty() ? key.npos : key.find(kFileName);
  for (; at != key.npos; at = key.find(kFileName, at + name.size())) key.replace(at, kFileName.size(), name);
  if (!base::is_utf8(key)) throw invalid_argument("The key is not UTF-8.", "key", "");
  if (key.empty()) throw invalid_argument("User key must have a length greater than 0.", "key", "");
  return key;
}

std::optional<base::Time> retain_until(const FormFields& fields) {
  constexpr char kName[] = "x-amz-object-lock-retain-until-date";
  auto text = field(fields, kName);
  if (!text) return std::nullopt;
  auto time = wire::from_iso8601(*text);
  if (!time) throw invalid_argument("The retain until date must be provided in ISO 8601 format", kName, *text);
  return time;
}

// The PutObject that has these fields as headers.
shape::PutObjectRequest put_request(const FormFields& fields, const std::string& bucket, const std::string& key) {
  shape::PutObjectRequest put;
  put.Bucket = bucket;
  put.Key = key;
  put.ACL = field(fields, "acl");
  put.CacheControl = field(fields, "cache-control");
  put.ContentDisposition = field(fields, "content-disposition");
  put.ContentEncoding = field(fields, "content-encoding");
  put.ContentLanguage = field(fields, "content-language");
  put.ContentMD5 = field(fields, "content-md5");
  put.ContentType = field(fields, "content-type");
  put.Expires = field(fields, "expires");
  put.ServerSideEncryption = field(fields, "x-amz-server-side-encryption");
  put.SSECustomerAlgorithm = field(fields, "x-amz-server-side-encryption-customer-algorithm");
  put.SSECustomerKey = field(fields, "x-amz-server-side-encryption-customer-key");
  put.SSEKMSKeyId = field(fields, "x-amz-server-side-encryption-aws-kms-key-id");
  put.SSEKMSEncryptionContext = field(fields, "x-amz-server-side-encryption-context");
  put.StorageClass = field(fields, "x-amz-storage-class");
  put.WebsiteRedirectLocation = field(fields, "x-amz-website-redirect-location");
  put.ObjectLockMode = field(fields, "x-amz-object-lock-mode");
  put.ObjectLockLegalHoldStatus = field(fields, "x-amz-object-lock-legal-hold");
  put.ObjectLockRetainUntilDate = retain_until(fields);
  put.ChecksumAlgorithm = field(fields, "x-amz-checksum-algorithm");
  put.ChecksumCRC32 = field(fields, "x-amz-checksum-crc32");
  put.ChecksumCRC32C = field(fields, "x-amz-checksum-crc32c");
  put.ChecksumCRC64NVME = field(fields, "x-amz-checksum-crc64nvme");
  put.ChecksumSHA1 = field(fields, "x-amz-checksum-sha1");
  put.ChecksumSHA256 = field(fields, "x-amz-checksum-sha256");
  for (const auto& [name, value] : fields) {
    if (!base::is_utf8(value)) throw invalid_argument("The value of " + name + " is not UTF-8.", name, "");
    if (!name.starts_with(kMetadataPrefix)) continue;
    if (!put.Metadata) put.Metadata.emplace();
    put.Metadata->emplace(name.substr(kMetadataPrefix.size()), value);
  }
  return put;
}

// <Tagging><TagSet><Tag>..., the only field that is XML. Amazon treats other XML as no tags.
Tags tags_of(const FormFields& fields) {
  auto text = field(fields, "tagging");
  if (!text) return {};
  shape::Tagging tagging;
  for (const wire::Violation& violation : wire::read_xml(wire::type_of<shape::Tagging>(), *text, &tagging)) {
    if (violation.member != "TagSet") throw malformed_xml();
  }
  return read_tags(tagging.TagSet);
}

// May have changed since it was checked before the file: the bucket, its policy, its owner.
Bucket find_post_bucket(Call& call, const PostPlan& plan) {
  const shape::PutObjectRequest& put = plan.put;
  Bucket bucket = find_object_bucket(call, {put.Bucket, put.Key, kNoVersion, kNoVersion}, "s3:PutObject",
                                     "s3:PutObject", write_context(put, plan.tags));
  check_may_tag(call, bucket, put.Key, plan.tags);
  check_acl(bucket, acl_headers(put));
  return bucket;
}

PostPlan plan_post(Call& call, const PostObjectRequest& request) {
  FormFields fields = request.Fields.value_or(FormFields());
  PostPlan plan;
  const std::string key = key_of(fields, request);
  if (auto text = field(fields, "policy")) {
    plan.policy = parse_post_policy(*text);
    // Variables are replaced before the policy is checked, and the bucket is the one of the path.
    FormFields checked = fields;
    checked["key"] = key;
    checked.emplace("bucket", request.Bucket);
    check_fields(*plan.policy, checked);
  } else if (!call.caller.anonymous()) {
    throw invalid_argument("Bucket POST must contain a field named 'policy'.  If it is specified, please check the "
                           "order of the fields.",
                           "policy", "");
  }
  if (field(fields, "bucket").value_or(request.Bucket) != request.Bucket) {
    throw invalid_argument("The bucket of the form is not the one that it was sent to.", "bucket", fields["bucket"]);
  }
  plan.put = put_request(fields, request.Bucket, key);
  plan.tags = tags_of(fields);
  const Bucket bucket = find_post_bucket(call, plan);
  plan.lock = stated_lock(call, bucket, key, lock_headers(plan.put));
  plan.headers = read_headers(plan.put);
  plan.claim = claim_of(claimed_values(plan.put), plan.put.ChecksumAlgorithm);
  check_md5_text(plan.put.ContentMD5);
  return plan;
}

std::optional<std::string> redirect_of(const FormFields& fields) {
  auto url = field(fields, "success_action_redirect");
  if (!url) url = field(fields, "redirect");
  // An invalid URL is ignored.
  const bool plain = url && (url->starts_with("http://") || url->starts_with("https://"));
  return plain ? url : std::nullopt;
}

PostObjectOutput answer(Call& call, const FormFields& fields, const Bucket& bucket, const Object& object) {
  PostObjectOutput output;
  output.ETag = object.quoted_etag();
  output.VersionId = new_version(object);
  output.Expiration = expiration_header(call, bucket, object);
  output.ServerSideEncryption = kEncryption;
  show_checksum(output, *object.checksum);
  if (auto url = redirect_of(fields)) {
    output.Status = 303;
    output.Location = *url + (url->find('?') == url->npos ? "?" : "&") + "bucket=" +
                      base::percent_encode(bucket.name) + "&key=" + base::percent_encode(object.key) +
                      "&etag=" + base::percent_encode(object.quoted_etag());
    return output;
  }
  output.Location = call.caller.endpoint + "/" + bucket.name + "/" + base::percent_encode(object.key, true);
  const std::string status = field(fields, "success_action_status").value_or("");
  if (status == "200") output.Status = 200;
  if (status == "201") {
    output.Status = 201;
    output.PostResponse = PostResponse{output.Location, bucket.name, object.key, object.quoted_etag()};
  }
  return output;
}

}  // namespace

PostPlan prepare_post_object(ObjectCall& call, const PostObjectRequest& request) {
  PostPlan plan = plan_post(call, request);
  call.spool.checksums = {plan.claim ? plan.claim->kind : kDefaultChecksum};
  call.spool.max_bytes = kMaxPutBytes;
  if (!plan.policy) return plan;
  // Checked only here: an upload that started in time may take longer.
  check_expiration(*plan.policy, call.now);
  if (plan.policy->max_bytes) call.spool.max_bytes = std::min(kMaxPutBytes, *plan.policy->max_bytes);
  return plan;
}

PostObjectOutput post_object(ObjectCall& call, const PostObjectRequest& request, const PostPlan& plan) {
  CHECK(call.upload) << "PostObject without a body";
  const Bucket bucket = find_post_bucket(call, plan);
  if (plan.policy) check_size(*plan.policy, call.upload->size);
  BodyChecksum checksum = check_body(*call.upload, plan.put.ContentMD5, plan.claim, kDefaultChecksum);
  const auto standing = load_latest_summary(call.tx, bucket, plan.put.Key);
  check_quota(call, bucket.account, gain_of(bucket, standing, static_cast<std::int64_t>(call.upload->size)));

  Object object;
  object.key = plan.put.Key;
  object.modified_at = call.now;
  object.size = static_cast<std::int64_t>(call.upload->size);
  object.etag = base::to_hex(call.upload->md5);
  object.blob = add_blob(call.tx, *call.upload);
  object.checksum = StoredChecksum{std::string(checksum_name(checksum.kind)), kFullObject, std::move(checksum.value)};
  object.headers = plan.headers;
  object.tags = plan.tags;
  object.lock = with_default_retention(bucket, plan.lock, call.now);
  put_version(call, bucket, standing, object);
  publish_event(call, bucket, "ObjectCreated:Post", object);
  return answer(call, request.Fields.value_or(FormFields()), bucket, object);
}

std::vector<ObjectOperation> post_object_operations() {
  return {
      with_body<&prepare_post_object>(
          object_operation<&post_object>("PostObject", Access::Write, kPostObjectHttp), Body::Form),
  };
}

}  // namespace services::s3
