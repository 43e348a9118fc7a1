// SPDX-License-Identifier: Apache-2.0
#include "services/s3/errors.h"

#include "base/bytes.h"
#include "shapes/s3/errors.h"

namespace services::s3 {

using wire::ApiError;

namespace {

// Codes that Amazon documents but its model lacks.
constexpr wire::ErrorSpec kMoreErrors[] = {
    {.name = "AccessControlListNotSupported", .status = 400},
    {.name = "AuthorizationHeaderMalformed", .status = 400},
    {.name = "AuthorizationQueryParametersError", .status = 400},
    {.name = "BadDigest", .status = 400},
    {.name = "BucketNotEmpty", .status = 409},
    {.name = "ConditionalRequestConflict", .status = 409},
    {.name = "EntityTooLarge", .status = 400},
    {.name = "EntityTooSmall", .status = 400},
    {.name = "ExpiredToken", .status = 400},
    {.name = "IllegalLocationConstraintException", .status = 400},
    {.name = "IllegalVersioningConfigurationException", .status = 400},
    {.name = "IncompleteBody", .status = 400},
    {.name = "InternalError", .status = 500, .sender = false},
    {.name = "InvalidAccessKeyId", .status = 403},
    {.name = "InvalidArgument", .status = 400},
    {.name = "InvalidBucketAclWithObjectOwnership", .status = 400},
    {.name = "InvalidBucketName", .status = 400},
    {.name = "InvalidBucketState", .status = 409},
    {.name = "InvalidDigest", .status = 400},
    {.name = "InvalidEncryptionAlgorithmError", .status = 400},
    {.name = "InvalidLocationConstraint", .status = 400},
    {.name = "InvalidPart", .status = 400},
    {.name = "InvalidPartNumber", .status = 416},
    {.name = "InvalidPartOrder", .status = 400},
    {.name = "InvalidPolicyDocument", .status = 400},
    {.name = "InvalidRange", .status = 416},
    {.name = "InvalidSecurity", .status = 403},
    {.name = "InvalidStorageClass", .status = 400},
    {.name = "InvalidTag", .status = 400},
    {.name = "InvalidToken", .status = 400},
    {.name = "InvalidURI", .status = 400},
    {.name = "KeyTooLongError", .status = 400},
    {.name = "MalformedACLError", .status = 400},
    {.name = "MalformedPOSTRequest", .status = 400},
    {.name = "MalformedPolicy", .status = 400},
    {.name = "MalformedXML", .status = 400},
    {.name = "MaxPostPreDataLengthExceededError", .status = 400},
    {.name = "MetadataTooLarge", .status = 400},
    {.name = "MethodNotAllowed", .status = 405},
    {.name = "MissingContentLength", .status = 411},
    {.name = "MissingRequestBodyError", .status = 400},
    {.name = "QuotaExceeded", .status = 403},  // not Amazon's: see quota.cc
    {.name = "NoSuchBucketPolicy", .status = 404},
    {.name = "NoSuchCORSConfiguration", .status = 404},
    {.name = "NoSuchConfiguration", .status = 404},
    {.name = "NoSuchLifecycleConfiguration", .status = 404},
    {.name = "NoSuchObjectLockConfiguration", .status = 404},
    {.name = "NoSuchPublicAccessBlockConfiguration", .status = 404},
    {.name = "NoSuchTagSet", .status = 404},
    {.name = "NoSuchVersion", .status = 404},
    {.name = "NoSuchWebsiteConfiguration", .status = 404},
    {.name = "NotImplemented", .status = 501},
    {.name = "NotModified", .status = 304},
    {.name = "ObjectLockConfigurationNotFoundError", .status = 404},
    {.name = "OperationAborted", .status = 409},
    {.name = "OwnershipControlsNotFoundError", .status = 404},
    {.name = "PermanentRedirect", .status = 301},
    {.name = "PreconditionFailed", .status = 412},
    {.name = "ReplicationConfigurationNotFoundError", .status = 404},
    {.name = "RequestTimeTooSkewed", .status = 403},
    {.name = "RequestTimeout", .status = 400},
    {.name = "ServerSideEncryptionConfigurationNotFoundError", .status = 404},
    {.name = "ServiceUnavailable", .status = 503, .sender = false},
    {.name = "SignatureDoesNotMatch", .status = 403},
    {.name = "SlowDown", .status = 503, .sender = false},
    {.name = "TooManyBuckets", .status = 400},
    {.name = "XAmzContentChecksumMismatch", .status = 400},
    {.name = "XAmzContentSHA256Mismatch", .status = 400},
};

// Handlers judge these values: a region may be the caller's own, a filter's name and a checksum's mode may be in any
// case.
bool is_for_handlers(const wire::Violation& violation) {
  return violation.member == "LocationConstraint" ||
         (violation.member == "ChecksumMode" && base::equals_ignoring_case(violation.value, "ENABLED")) ||
         (violation.member == "Name" && violation.path.find("ilterRules") != std::string::npos);
}

// Members of headers and query strings whose invalid values have an error of their own. All other enumerations are in
// XML bodies.
std::optional<ApiError> enumeration_error(const wire::Violation& violation) {
  const std::string& member = violation.member;
  const std::string& value = violation.value;
  if (member == "StorageClass") {
    return ApiError("InvalidStorageClass", "The storage class you specified is not valid")
        .with("StorageClassRequested", value);
  }
  if (member == "MetadataDirective") return invalid_argument("Unknown metadata directive.", "x-amz-metadata-directive", value);
  if (member == "TaggingDirective") return invalid_argument("Unknown tagging directive.", "x-amz-tagging-directive", value);
  if (member == "EncodingType") {
    return invalid_argument("Invalid Encoding Method specified in Request", "encoding-type", value);
  }
  if (member == "ServerSideEncryption") {
    return invalid_argument("The encryption method specified is not supported", "x-amz-server-side-encryption", value);
  }
  if (member == "ChecksumAlgorithm") {
    return invalid_request("Checksum algorithm provided is unsupported. Please try again with any of the valid types: "
                           "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
  }
  if (member == "ChecksumType") return invalid_request("Value for x-amz-checksum-type header is invalid.");
  if (member == "ChecksumMode") return invalid_argument("Unknown checksum mode.", "x-amz-checksum-mode", value);
  if (member == "TransitionDefaultMinimumObjectSize") {
    return invalid_request("Invalid TransitionDefaultMinimumObjectSize found: " + value);
  }
  if (member == "ACL") return invalid_argument("", "x-amz-acl", value);
  if (member == "ObjectAttributes") return invalid_argument("Invalid attribute name specified.", "x-amz-object-attributes", value);
  if (member == "Events") {
    return invalid_argument("A specified event is not supported for notifications", "Event", value);
  }
  // The header of CreateBucket. In the body of PutBucketOwnershipControls an invalid value is MalformedXML.
  if (violation.path == "objectOwnership") return invalid_argument("Invalid x-amz-object-ownership header: " + value, "x-amz-object-ownership");
  if (member == "RequestPayer") return invalid_argument("Invalid x-amz-request-payer header.", "x-amz-request-payer", value);
  if (member == "ObjectLockMode") return invalid_argument("Unknown wormMode directive.", "x-amz-object-lock-mode", value);
  if (member == "ObjectLockLegalHoldStatus") {
    return invalid_argument("Legal Hold must be either of 'ON' or 'OFF'", "x-amz-object-lock-legal-hold", value);
  }
  return std::nullopt;
}

}  // namespace

ApiError no_such_bucket(std::string_view bucket) {
  return ApiError("NoSuchBucket", "The specified bucket does not exist").with("BucketName", std::string(bucket));
}

ApiError no_such_key(std::string_view key) {
  return ApiError("NoSuchKey", "The specified key does not exist.").with("Key", std::string(key));
}

ApiError no_such_version(std::string_view key, std::string_view version) {
  return ApiError("NoSuchVersion", "The specified version does not exist.")
      .with("Key", std::string(key))
      .with("VersionId", std::string(version));
}

ApiError no_such_upload(std::string_view upload) {
  return ApiError("NoSuchUpload",
                  "The specified upload does not exist. The upload ID may be invalid, or the upload may have been "
                  "aborted or completed.")
      .with("UploadId", std::string(upload));
}

ApiError access_denied() { return ApiError("AccessDenied", "Access Denied"); }

ApiError invalid_argument(std::string_view message, std::string_view name, std::string_view value) {
  return ApiError("InvalidArgument", std::string(message))
      .with("ArgumentName", std::string(name))
      .with("ArgumentValue", std::string(value));
}

ApiError invalid_argument(std::string_view message, std::string_view name) {
  return ApiError("InvalidArgument", std::string(message)).with("ArgumentName", std::string(name));
}

ApiError invalid_request(std::string_view message) { return ApiError("InvalidRequest", std::string(message)); }

ApiError precondition_failed(std::string_view condition) {
  return ApiError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
      .with("Condition", std::string(condition));
}

ApiError malformed_xml() {
  return ApiError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema");
}

ApiError header_not_implemented(std::string_view header) {
  return ApiError("NotImplemented", "A header you provided implies functionality that is not implemented")
      .with("Header", std::string(header));
}

ApiError not_implemented(std::string_view what) {
  return ApiError("NotImplemented", std::string(what) + " is not implemented.");
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  bool any = false;
  for (const wire::Violation& violation : violations) {
    if (violation.kind == wire::Violation::NotInEnum && is_for_handlers(violation)) continue;
    any = true;
    if (violation.kind == wire::Violation::NotInEnum) {
      if (auto error = enumeration_error(violation)) return error;
    }
    if (violation.member == "MaxBuckets") {
      return invalid_argument("Argument max-buckets must be an integer between 1 and 10000", "max-buckets", violation.value);
    }
    // The only required members that are not in XML.
    if (violation.kind == wire::Violation::Missing) {
      if (violation.member == "ObjectAttributes") {
        return invalid_argument("The x-amz-object-attributes header is required.", "x-amz-object-attributes", "");
      }
      if (violation.member == "Policy") {
        return ApiError("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'");
      }
      if (violation.member == "CopySource") {
        return invalid_argument("You must specify a copy source.", "x-amz-copy-source", "");
      }
    }
  }
  if (!any) return std::nullopt;
  return malformed_xml();
}

std::vector<wire::ErrorSpec> error_table() {
  std::vector<wire::ErrorSpec> table(std::begin(shapes::s3::kErrors), std::end(shapes::s3::kErrors));
  table.insert(table.end(), std::begin(kMoreErrors), std::end(kMoreErrors));
  return table;
}

}  // namespace services::s3
