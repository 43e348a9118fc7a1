// SPDX-License-Identifier: Apache-2.0
#include "api/key_ring.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(KeyRing, KeepsAKeyUntilItIsDeleted) {
  KeyRing ring;
  EXPECT_EQ(ring.find("a"), nullptr);
  ring.keep({.id = "a", .secret = "s"}, ring.deletions());
  ASSERT_NE(ring.find("a"), nullptr);
  ring.forget("a");
  EXPECT_EQ(ring.find("a"), nullptr);
}

TEST(KeyRing, DoesNotKeepAKeyThatWasReadBeforeADeletion) {
  KeyRing ring;
  const std::uint64_t before = ring.deletions();
  ring.forget("a");
  ring.keep({.id = "a", .secret = "s"}, before);
  EXPECT_EQ(ring.find("a"), nullptr);
}

}  // namespace
}  // namespace api
