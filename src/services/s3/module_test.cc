// SPDX-License-Identifier: Apache-2.0
#include "services/s3/module.h"

#include <gtest/gtest.h>

#include "wire/error.h"

namespace services::s3 {
namespace {

// Whether a body with this root is taken for the operation's; what is missing in it is another matter.
bool takes(std::string_view name, const std::string& root) {
  const Service s3 = module({}).service;
  for (const Operation& operation : s3.operations) {
    if (operation.wire.name != name) continue;
    const std::string body = "<" + root + " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"/>";
    const base::Headers headers{{"Content-Length", std::to_string(body.size())}};
    const wire::HttpRequest request{"PUT", "/bucket/key", "uploadId=x", headers, body};
    Erased input = operation.make_input();
    try {
      (void)wire::decode_request(wire::Protocol::RestXml, s3.wire, operation.wire, request, input.get());
    } catch (const wire::ApiError& error) {
      EXPECT_EQ(error.code(), "MalformedXML");
      return false;
    }
    return true;
  }
  ADD_FAILURE() << "no operation " << name;
  return false;
}

TEST(S3Module, BodiesHaveTheRootsThatAmazonDocuments) {
  const std::pair<const char*, const char*> kRoots[] = {
      {"CreateBucket", "CreateBucketConfiguration"},
      {"PutBucketTagging", "Tagging"},
      {"PutBucketVersioning", "VersioningConfiguration"},
      {"PutBucketCors", "CORSConfiguration"},
      {"PutBucketLifecycleConfiguration", "LifecycleConfiguration"},
      {"PutBucketEncryption", "ServerSideEncryptionConfiguration"},
      {"PutBucketOwnershipControls", "OwnershipControls"},
      {"PutPublicAccessBlock", "PublicAccessBlockConfiguration"},
      {"PutBucketNotificationConfiguration", "NotificationConfiguration"},
      {"PutBucketAcl", "AccessControlPolicy"},
      {"PutObjectAcl", "AccessControlPolicy"},
      {"PutObjectTagging", "Tagging"},
      {"DeleteObjects", "Delete"},
      {"CompleteMultipartUpload", "CompleteMultipartUpload"},
  };
  for (const auto& [name, root] : kRoots) {
    EXPECT_TRUE(takes(name, root)) << name;
    EXPECT_FALSE(takes(name, "Unknown")) << name;
  }
}

TEST(S3Module, SomeOperationsHaveAnotherStatusThanInTheModel) {
  for (const Operation& operation : module({}).service.operations) {
    const bool no_content = operation.wire.name == "PutBucketPolicy" || operation.wire.name == "PutBucketTagging";
    EXPECT_TRUE(!no_content || operation.wire.http.status == 204) << operation.wire.name;
  }
}

TEST(S3Module, TheDoorsTableHasTheOperationsOfTheServiceInOrder) {
  const Service s3 = module({}).service;
  const ObjectTable table = object_table();
  ASSERT_EQ(table.operations.size(), s3.operations.size());
  for (std::size_t i = 0; i < s3.operations.size(); ++i) {
    EXPECT_EQ(table.operations[i].plain.wire.name, s3.operations[i].wire.name);
  }
}

}  // namespace
}  // namespace services::s3
