// SPDX-License-Identifier: Apache-2.0
#include "webhooks/address.h"

#include <gtest/gtest.h>

namespace webhooks {
namespace {

TEST(WebhookAddress, PublicOnesAreAllowed) {
  for (const char* text : {"1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1",
                           "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_EQ(classify_address(text), AddressKind::Public) << text;
  }
  EXPECT_TRUE(may_send_to(AddressKind::Public, false));
}

TEST(WebhookAddress, PrivateOnesNeedTheSetting) {
  for (const char* text :
       {"127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1",
        "169.254.1.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "::ffff:127.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2002:c0a8:101::"}) {
    EXPECT_EQ(classify_address(text), AddressKind::Private) << text;
  }
  EXPECT_FALSE(may_send_to(AddressKind::Private, false));
  EXPECT_TRUE(may_send_to(AddressKind::Private, true));
}

TEST(WebhookAddress, MetadataServicesAreNeverReached) {
  for (const char* text : {"169.254.169.254", "169.254.170.2", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
                           "2002:a9fe:a9fe::", "fd00:ec2::254", "100.100.100.200"}) {
    EXPECT_EQ(classify_address(text), AddressKind::Metadata) << text;
  }
  EXPECT_FALSE(may_send_to(AddressKind::Metadata, true));
  for (const char* text : {"224.0.0.1", "255.255.255.255", "240.0.0.1", "ff02::1"}) {
    EXPECT_EQ(classify_address(text), AddressKind::Invalid) << text;
  }
  EXPECT_FALSE(may_send_to(AddressKind::Invalid, true));
}

TEST(WebhookAddress, NamesAreNotAddresses) {
  for (const char* text : {"localhost", "127.1", "2130706433", "", "1.2.3.4.5", "example.com"}) {
    EXPECT_EQ(classify_address(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace webhooks
