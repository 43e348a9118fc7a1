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

}  // namespace
}  // namespace control
