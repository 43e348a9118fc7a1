// SPDX-License-Identifier: Apache-2.0
#include "services/s3/object_fixture.h"

namespace services::s3 {
namespace {

using ObjectAttributes = ObjectTest;
using Request = shape::GetObjectAttributesRequest;

TEST_F(ObjectAttributes, OnlyWhatWasAskedForIsSaid) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .Key = "k", .StorageClass = "ONEZONE_IA"}, "hello");
  auto output = run(&get_object_attributes, {.Bucket = "bucket", .Key = "k", .ObjectAttributes = {"ETag", "ObjectSize"}});
  EXPECT_EQ(output.ETag, "5d41402abc4b2a76b9719d911017c592");
  EXPECT_EQ(output.ObjectSize, 5);
  EXPECT_EQ(output.LastModified, now_);
  EXPECT_FALSE(output.StorageClass);
  EXPECT_FALSE(output.Checksum);
  output = run(&get_object_attributes,
               {.Bucket = "bucket", .Key = "k", .ObjectAttributes = {"StorageClass", "Checksum", "ObjectParts"}});
  EXPECT_EQ(output.StorageClass, "ONEZONE_IA");
  EXPECT_TRUE(output.Checksum->ChecksumCRC64NVME);
  EXPECT_EQ(output.Checksum->ChecksumType, "FULL_OBJECT");
  EXPECT_FALSE(output.ObjectParts);
  EXPECT_FALSE(output.ETag);
}

TEST_F(ObjectAttributes, PartsComePageByPage) {
  const std::string upload = create("k");
  std::vector<shape::CompletedPart> parts;
  for (int number : {1, 2, 3}) parts.push_back(part("k", upload, number, std::string(5 << 20, 'x')));
  complete("k", upload, parts);
  Request request{.Bucket = "bucket", .Key = "k", .MaxParts = 2, .ObjectAttributes = {"ObjectParts"}};
  auto page = *run(&get_object_attributes, request).ObjectParts;
  EXPECT_EQ(page.TotalPartsCount, 3);
  EXPECT_EQ(page.IsTruncated, true);
  EXPECT_EQ(page.NextPartNumberMarker, 2);
  EXPECT_EQ(page.Parts->size(), 2u);
  EXPECT_EQ(page.Parts->at(0).Size, 5 << 20);
  EXPECT_TRUE(page.Parts->at(0).ChecksumCRC64NVME);
  request.PartNumberMarker = 2;
  page = *run(&get_object_attributes, request).ObjectParts;
  EXPECT_EQ(page.IsTruncated, false);
  EXPECT_EQ(page.Parts->size(), 1u);
  request.MaxParts = -1;
  EXPECT_EQ(error_of(&get_object_attributes, request), "InvalidArgument");
}

TEST_F(ObjectAttributes, ACompositeChecksumComesWithoutTheNumberOfParts) {
  const std::string upload =
      *run(&create_multipart_upload, {.Bucket = "bucket", .Key = "k", .ChecksumAlgorithm = "SHA256"}).UploadId;
  const std::string sum = base::to_base64(base::sha256("hello"));
  auto sent = send(&before_upload_part, &upload_part,
                   {.Bucket = "bucket", .ChecksumSHA256 = sum, .Key = "k", .PartNumber = 1, .UploadId = upload}, "hello");
  complete("k", upload, {{.ETag = sent.ETag, .ChecksumSHA256 = sum, .PartNumber = 1}});
  auto output = run(&get_object_attributes, {.Bucket = "bucket", .Key = "k", .ObjectAttributes = {"Checksum"}});
  EXPECT_EQ(output.Checksum->ChecksumSHA256, base::to_base64(base::sha256(base::sha256("hello"))));
  EXPECT_EQ(output.Checksum->ChecksumType, "COMPOSITE");
}

TEST_F(ObjectAttributes, AnObjectIsItsBucketsOwners) {
  put_bytes("k", "x");
  auto acl = run(&get_object_acl, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(acl.Owner->ID, canonical_id("111111111111"));
  ASSERT_EQ(acl.Grants->size(), 1u);
  EXPECT_EQ(acl.Grants->at(0).Permission, "FULL_CONTROL");
  EXPECT_EQ(acl.Grants->at(0).Grantee->ID, acl.Owner->ID);
  EXPECT_EQ(error_of(&get_object_acl, {.Bucket = "bucket", .Key = "missing"}), "NoSuchKey");
  EXPECT_EQ(error_of(&put_object_acl, {.ACL = "public-read", .Bucket = "bucket", .Key = "k"}),
            "AccessControlListNotSupported");
  version("Enabled");
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(error_of(&get_object_acl, {.Bucket = "bucket", .Key = "k"}), "NoSuchKey");
  EXPECT_EQ(error_of(&put_object_acl, {.ACL = "private", .Bucket = "bucket", .Key = "k"}), "MethodNotAllowed");
}

}  // namespace
}  // namespace services::s3
