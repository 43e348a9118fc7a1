// SPDX-License-Identifier: Apache-2.0
#include "services/s3/checksums.h"

#include "services/s3/object_fixture.h"

namespace services::s3 {
namespace {

using Checksums = ObjectTest;
using PutRequest = shape::PutObjectRequest;

// Of "hello", computed elsewhere.
constexpr char kCrc32[] = "NhCmhg==", kCrc32c[] = "mnG7TA==", kSha1[] = "qvTGHdzF6KLavt4PO0gs2a6pQ00=",
               kSha256[] = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", kMd5[] = "XUFAKrxLKna5cZ2REBfFkg==";

shape::GetObjectRequest with_checksums(const std::string& key) {
  return {.Bucket = "bucket", .Key = key, .ChecksumMode = "ENABLED"};
}

TEST_F(Checksums, AStatedChecksumIsVerifiedStoredAndShown) {
  auto put = put_bytes(PutRequest{.Bucket = "bucket", .ChecksumSHA256 = kSha256, .Key = "k"}, "hello");
  EXPECT_EQ(put.ChecksumSHA256, kSha256);
  EXPECT_EQ(put.ChecksumType, "FULL_OBJECT");
  EXPECT_FALSE(put.ChecksumCRC64NVME);
  auto got = get(with_checksums("k")).output;
  EXPECT_EQ(got.ChecksumSHA256, kSha256);
  EXPECT_EQ(got.ChecksumType, "FULL_OBJECT");
  EXPECT_FALSE(get("k").output.ChecksumSHA256);
}

TEST_F(Checksums, EachAlgorithmHasTheValueThatOthersCompute) {
  EXPECT_EQ(put_bytes(PutRequest{.Bucket = "bucket", .ChecksumCRC32 = kCrc32, .Key = "k"}, "hello").ChecksumCRC32, kCrc32);
  EXPECT_EQ(put_bytes(PutRequest{.Bucket = "bucket", .ChecksumCRC32C = kCrc32c, .Key = "k"}, "hello").ChecksumCRC32C,
            kCrc32c);
  EXPECT_EQ(put_bytes(PutRequest{.Bucket = "bucket", .ChecksumSHA1 = kSha1, .Key = "k"}, "hello").ChecksumSHA1, kSha1);
}

TEST_F(Checksums, TheDefaultIsCrc64Nvme) {
  auto put = put_bytes("k", "hello");
  ASSERT_TRUE(put.ChecksumCRC64NVME);
  EXPECT_EQ(base::from_base64(*put.ChecksumCRC64NVME)->size(), 8u);
  EXPECT_EQ(put.ChecksumType, "FULL_OBJECT");
  EXPECT_EQ(get(with_checksums("k")).output.ChecksumCRC64NVME, put.ChecksumCRC64NVME);
}

TEST_F(Checksums, AWrongChecksumStoresNothing) {
  EXPECT_EQ(error_of([&] { put_bytes(PutRequest{.Bucket = "bucket", .ChecksumCRC32 = kCrc32, .Key = "k"}, "jello"); }),
            "BadDigest");
  EXPECT_EQ(message(), "The CRC32 you specified did not match the calculated checksum.");
  EXPECT_EQ(error_of([&] { put_bytes(PutRequest{.Bucket = "bucket", .ContentMD5 = kMd5, .Key = "k"}, "jello"); }),
            "BadDigest");
  EXPECT_EQ(detail("ExpectedDigest"), base::to_hex(*base::from_base64(kMd5)));
  EXPECT_EQ(error_of([&] { get("k"); }), "NoSuchKey");
  EXPECT_EQ(count("SELECT count(*) FROM s3_blobs"), 0);
  put_bytes(PutRequest{.Bucket = "bucket", .ContentMD5 = kMd5, .Key = "k"}, "hello");
}

TEST_F(Checksums, AnInvalidChecksumIsRejected) {
  EXPECT_EQ(error_of([&] { put_bytes(PutRequest{.Bucket = "bucket", .ContentMD5 = "x", .Key = "k"}, ""); }),
            "InvalidDigest");
  EXPECT_EQ(error_of([&] { put_bytes(PutRequest{.Bucket = "bucket", .ChecksumCRC32 = "AAAA", .Key = "k"}, ""); }),
            "InvalidRequest");
  EXPECT_EQ(message(), "Value for x-amz-checksum-crc32 header is invalid.");
  PutRequest two{.Bucket = "bucket", .ChecksumCRC32 = kCrc32, .ChecksumSHA1 = kSha1, .Key = "k"};
  EXPECT_EQ(error_of([&] { put_bytes(two, "hello"); }), "InvalidRequest");
  EXPECT_EQ(message(), "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
}

TEST_F(Checksums, AChecksumMayFollowTheBody) {
  PutRequest request{.Bucket = "bucket", .ChecksumAlgorithm = "CRC32", .Key = "k"};
  EXPECT_EQ(put_bytes(request, "hello", {{"x-amz-checksum-crc32", kCrc32}}).ChecksumCRC32, kCrc32);
  EXPECT_EQ(error_of([&] { put_bytes(request, "jello", {{"x-amz-checksum-crc32", kCrc32}}); }), "BadDigest");
  EXPECT_EQ(error_of([&] { put_bytes(request, "hello"); }), "InvalidRequest");
  EXPECT_NE(message().find("x-amz-sdk-checksum-algorithm specified"), std::string::npos);
  EXPECT_EQ(error_of([&] { put_bytes(request, "hello", {{"x-amz-checksum-sha1", kSha1}}); }), "InvalidRequest");
  // Not announced before.
  auto put = put_bytes(PutRequest{.Bucket = "bucket", .Key = "k"}, "hello", {{"X-Amz-Checksum-Sha256", kSha256}});
  EXPECT_EQ(put.ChecksumSHA256, kSha256);
}

TEST_F(Checksums, ARangeHasNoChecksum) {
  put_bytes("k", "hello");
  auto request = with_checksums("k");
  request.Range = "bytes=1-2";
  EXPECT_FALSE(get(request).output.ChecksumCRC64NVME);
  request.Range = "bytes=0-4";
  EXPECT_TRUE(get(request).output.ChecksumCRC64NVME);
}

TEST_F(Checksums, ChecksumsOfPartsCombineToThatOfTheWhole) {
  const std::string a(1000, 'a'), b(77, 'b');
  for (base::Checksum kind : {base::Checksum::Crc32, base::Checksum::Crc32c, base::Checksum::Crc64Nvme}) {
    auto sum = [&](const std::string& bytes) {
      base::Hasher hasher(kind);
      hasher.update(bytes);
      return base::to_base64(hasher.finish());
    };
    EXPECT_EQ(full_object_checksum(kind, {{sum(a), a.size()}, {sum(b), b.size()}}), sum(a + b));
    EXPECT_EQ(full_object_checksum(kind, {{sum(a), a.size()}}), sum(a));
  }
  const std::string both = base::sha256(a) + base::sha256(b);
  EXPECT_EQ(composite_checksum(base::Checksum::Sha256,
                               {{base::to_base64(base::sha256(a)), a.size()}, {base::to_base64(base::sha256(b)), b.size()}}),
            base::to_base64(base::sha256(both)) + "-2");
}

}  // namespace
}  // namespace services::s3
