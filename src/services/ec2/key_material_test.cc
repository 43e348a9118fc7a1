// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/key_material.h"

#include <gtest/gtest.h>

namespace services::ec2 {
namespace {

TEST(KeyMaterial, ANewKeysPublicPartCanBeImported) {
  const NewKey rsa = make_key("rsa");
  EXPECT_TRUE(rsa.private_pem.starts_with("-----BEGIN RSA PRIVATE KEY-----"));
  EXPECT_EQ(rsa.fingerprint.size(), 59u);
  const auto imported = parse_public_key(rsa.public_text + " comment\n");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->type, "rsa");
  EXPECT_EQ(imported->fingerprint.size(), 47u);
  const NewKey edwards = make_key("ed25519");
  EXPECT_TRUE(edwards.private_pem.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----"));
  ASSERT_TRUE(parse_public_key(edwards.public_text));
  EXPECT_EQ(parse_public_key(edwards.public_text)->fingerprint, edwards.fingerprint);
}

TEST(KeyMaterial, OtherTextIsNoKey) {
  for (const char* text : {"", "ssh-rsa", "ssh-rsa AAAA", "ssh-dss AAAAB3NzaC1kc3M=", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"}) {
    EXPECT_FALSE(parse_public_key(text)) << text;
  }
}

}  // namespace
}  // namespace services::ec2
