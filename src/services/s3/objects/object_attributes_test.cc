// SPDX-License-Identifier: Apache-2.0
#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"
#include "services/s3/objects/object_acl.h"
#include "services/s3/objects/object_attributes.h"

namespace services::s3 {
namespace {

using ObjectAttributes = ObjectTest;
using AttributesRequest = shape::GetObjectAttributesRequest;

TEST_F(ObjectAttributes, OnlyRequestedAttributesAreShown) {
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

TEST_F(ObjectAttributes, PartsAreListedInPages) {
  put_in_parts("k", "SHA256", {std::string(5 << 20, 'x'), std::string(5 << 20, 'x'), "end"});
  AttributesRequest request{.Bucket = "bucket", .Key = "k", .MaxParts = 2, .ObjectAttributes = {"ObjectParts"}};
  auto page = *run(&get_object_attributes, request).ObjectParts;
  EXPECT_EQ(page.TotalPartsCount, 3);
  EXPECT_EQ(page.IsTruncated, true);
  EXPECT_EQ(page.NextPartNumberMarker, 2);
  EXPECT_EQ(page.Parts->size(), 2u);
  EXPECT_EQ(page.Parts->at(0).Size, 5 << 20);
  EXPECT_TRUE(page.Parts->at(0).ChecksumSHA256);
  request.PartNumberMarker = 2;
  page = *run(&get_object_attributes, request).ObjectParts;
  EXPECT_EQ(page.IsTruncated, false);
  EXPECT_EQ(page.Parts->size(), 1u);
  request.MaxParts = -1;
  EXPECT_EQ(error_of(&get_object_attributes, request), "InvalidArgument");
}

TEST_F(ObjectAttributes, PartsWithoutChecksumsAreOnlyCounted) {
  put_in_parts("k", std::nullopt, {"hello"});
  auto parts = *run(&get_object_attributes, {.Bucket = "bucket", .Key = "k", .ObjectAttributes = {"ObjectParts"}}).ObjectParts;
  EXPECT_EQ(parts.TotalPartsCount, 1);
  EXPECT_FALSE(parts.Parts);
  EXPECT_FALSE(parts.IsTruncated);
  EXPECT_FALSE(parts.MaxParts);
}

TEST_F(ObjectAttributes, ACompositeChecksumIsShownWithoutTheNumberOfParts) {
  put_in_parts("k", "SHA256", {"hello"});
  auto output = run(&get_object_attributes, {.Bucket = "bucket", .Key = "k", .ObjectAttributes = {"Checksum"}});
  EXPECT_EQ(output.Checksum->ChecksumSHA256, base::to_base64(base::sha256(base::sha256("hello"))));
  EXPECT_EQ(output.Checksum->ChecksumType, "COMPOSITE");
}

TEST_F(ObjectAttributes, AnObjectBelongsToItsBucketsOwner) {
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
