// SPDX-License-Identifier: Apache-2.0
#include "control/config.h"

#include <gtest/gtest.h>

namespace control {
namespace {

TEST(Listen, TakesAnAddressAndAPort) {
  EXPECT_EQ(parse_listen("10.0.0.1:80")->address, "10.0.0.1");
  EXPECT_EQ(parse_listen("10.0.0.1:80")->port, 80);
  EXPECT_EQ(parse_listen("[::1]:4566")->address, "::1");
  EXPECT_EQ(parse_listen(":4566")->address, "0.0.0.0");
  EXPECT_EQ(parse_listen("4566")->address, "127.0.0.1");
}

TEST(Listen, RejectsAnInvalidAddress) {
  for (std::string text : {"", "localhost", "a:b", "127.0.0.1:70000", "127.0.0.1:", "127.0.0.1:1x"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

TEST(ExternalObjects, NeedAnEndpointAndKeys) {
  EXPECT_FALSE(*external_objects({}));
  EXPECT_FALSE(*external_objects({.access_key_id = "id", .secret_access_key = "secret"}));
  EXPECT_FALSE(external_objects({.endpoint = "https://ceph"}));
  EXPECT_FALSE(external_objects({.endpoint = "https://ceph", .access_key_id = "id"}));
  const auto objects = external_objects({.endpoint = "https://ceph", .access_key_id = "id", .secret_access_key = "s"});
  ASSERT_TRUE(objects && *objects);
  EXPECT_EQ((*objects)->endpoint, "https://ceph");
  EXPECT_EQ((*objects)->region, "us-east-1");
}

TEST(ExternalObjects, AreReadByTheNamedAccountsOnly) {
  const auto allowed = allowed_buckets({"000000000000=settings", "000000000000=more", "111111111111=*"});
  ASSERT_TRUE(allowed);
  const ExternalObjects objects{.endpoint = "https://ceph", .allowed = *allowed};
  EXPECT_TRUE(objects.allows("000000000000", "settings"));
  EXPECT_TRUE(objects.allows("000000000000", "more"));
  EXPECT_FALSE(objects.allows("000000000000", "another"));
  EXPECT_TRUE(objects.allows("111111111111", "another"));
  EXPECT_FALSE(objects.allows("222222222222", "settings"));
  for (const char* text : {"", "settings", "1=settings", "000000000000=", "=settings"}) {
    EXPECT_FALSE(allowed_buckets({text})) << text;
  }
}

TEST(ExternalObjects, AUrlIsPresignedAndHasNoSecret) {
  const ExternalObjects objects{.endpoint = "https://ceph:7480/s3/", .region = "r", .access_key_id = "ID",
                                .secret_access_key = "VERYSECRET"};
  const std::string url = objects.url_of("bucket", "a b/c.env", base::from_seconds(1800000000));
  EXPECT_TRUE(url.starts_with("https://ceph:7480/s3/bucket/a%20b/c.env?")) << url;
  EXPECT_NE(url.find("X-Amz-Signature="), url.npos);
  EXPECT_EQ(url.find("VERYSECRET"), url.npos);
}

}  // namespace
}  // namespace control
