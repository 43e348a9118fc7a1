// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/checksum_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/error.h"

namespace doors::objects {
namespace {

using testing::HasSubstr;

std::string refusal(void (*check)(const base::Headers&), const base::Headers& headers) {
  try {
    check(headers);
    return "";
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "InvalidRequest");
    return error.message();
  }
}
std::string checked(const base::Headers& headers) { return refusal(&check_checksum_headers, headers); }

TEST(ChecksumHeaders, AKnownAlgorithmIsAccepted) {
  EXPECT_EQ(checked({}), "");
  EXPECT_EQ(checked({{"X-Amz-Checksum-CRC32", "AAAAAA=="}}), "");
  EXPECT_EQ(checked({{"x-amz-checksum-sha512", "x"}}), "");
  EXPECT_EQ(checked({{"x-amz-checksum-algorithm", "CRC32"}, {"x-amz-checksum-type", "COMPOSITE"}}), "");
  EXPECT_EQ(checked({{"x-amz-checksum-mode", "ENABLED"}}), "");
  EXPECT_EQ(checked({{"x-amz-trailer", "x-amz-checksum-crc64nvme"}, {"x-amz-sdk-checksum-algorithm", "CRC64NVME"}}), "");
}

TEST(ChecksumHeaders, SeveralChecksumsAreRejected) {
  EXPECT_THAT(checked({{"x-amz-checksum-crc32", "AAAAAA=="}, {"x-amz-checksum-sha1", "x"}}),
              HasSubstr("Expecting a single x-amz-checksum- header. Multiple"));
  EXPECT_EQ(checked({{"x-amz-checksum-crc32", "AAAAAA=="}, {"x-amz-trailer", "x-amz-checksum-crc32"}}),
            "Expecting a single x-amz-checksum- header");
}

TEST(ChecksumHeaders, AnUnknownAlgorithmIsRejected) {
  EXPECT_THAT(checked({{"x-amz-checksum-sha256a", "x"}}), HasSubstr("The algorithm type you specified"));
  EXPECT_THAT(checked({{"x-amz-checksum-", "x"}}), HasSubstr("The algorithm type you specified"));
  EXPECT_THAT(checked({{"x-amz-trailer", "x-amz-checksum-sum"}}), HasSubstr("x-amz-trailer header is not supported"));
  EXPECT_THAT(checked({{"x-amz-trailer", "Expires"}}), HasSubstr("x-amz-trailer header is not supported"));
}

TEST(ChecksumHeaders, AnAnnouncedChecksumMustBePresent) {
  EXPECT_THAT(checked({{"x-amz-sdk-checksum-algorithm", "SUM"}, {"x-amz-checksum-crc32", "AAAAAA=="}}),
              HasSubstr("Value for x-amz-sdk-checksum-algorithm header is invalid."));
  EXPECT_THAT(checked({{"x-amz-sdk-checksum-algorithm", "SHA1"}, {"x-amz-checksum-crc32", "AAAAAA=="}}),
              HasSubstr("Value for x-amz-sdk-checksum-algorithm header is invalid."));
  EXPECT_THAT(checked({{"x-amz-sdk-checksum-algorithm", "CRC32"}}), HasSubstr("no corresponding x-amz-checksum-*"));
}

TEST(ChecksumHeaders, ADigestMayBeAnyOfThese) {
  EXPECT_THAT(refusal(&require_digest, {{"x-amz-content-sha256", "0"}}),
              HasSubstr("Missing required header for this request: Content-MD5"));
  EXPECT_EQ(refusal(&require_digest, {{"content-md5", "x"}}), "");
  EXPECT_EQ(refusal(&require_digest, {{"x-amz-checksum-sha1", "x"}}), "");
  EXPECT_EQ(refusal(&require_digest, {{"x-amz-trailer", "x-amz-checksum-crc32"}}), "");
}

}  // namespace
}  // namespace doors::objects
