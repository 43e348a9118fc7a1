// SPDX-License-Identifier: Apache-2.0
#include "control/providers/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace control::providers {
namespace {

using testing::ElementsAre;

const model::InstanceType kTwoGpus{"g.two", 4, 1000, 2, "T4", 16384}, kPlain{"c.one", 4, 1000, 0, "", 0};

Pool pool_of(std::vector<PoolGpu> gpus) { return {.vcpus = 8, .memory_mib = 4000, .gpus = std::move(gpus)}; }

TEST(Pool, AnInstanceGetsFreeGpusInTheirOrder) {
  const Pool pool = pool_of({{"a", "V100"}, {"b", "V100"}, {"c", "V100"}, {"d", "V100"}});
  const auto slice = reserve(pool, kTwoGpus, {{"i-1", {1, 1, {"b"}}}});
  ASSERT_TRUE(slice);
  EXPECT_EQ(*slice, (Slice{4, 1000, {"a", "c"}}));
}

TEST(Pool, GpusOfTheTypesModelArePreferred) {
  const Pool pool = pool_of({{"a", "Tesla V100"}, {"b", "Tesla T4"}, {"c", "Tesla V100"}, {"d", "Tesla T4"}});
  EXPECT_THAT(reserve(pool, kTwoGpus, {})->gpus, ElementsAre("b", "d"));
  EXPECT_THAT(reserve(pool, kTwoGpus, {{"i-1", {1, 1, {"b"}}}})->gpus, ElementsAre("d", "a"));
}

TEST(Pool, TooFewGpusAreExplainedWithTheirHolders) {
  const Pool pool = pool_of({{"a", ""}, {"b", ""}, {"c", ""}});
  const auto slice = reserve(pool, kTwoGpus, {{"i-1", {1, 1, {"a"}}}, {"i-2", {1, 1, {"b"}}}, {"i-3", {1, 1, {}}}});
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error(), "InsufficientInstanceCapacity: g.two needs 2 GPUs and this machine has 1 of 3 GPUs free; "
                           "held by i-1 (1), i-2 (1).");
  EXPECT_EQ(reserve(pool_of({}), kTwoGpus, {}).error(),
            "InsufficientInstanceCapacity: g.two needs 2 GPUs and the pool of this machine has none (--pool-gpus).");
}

TEST(Pool, ManyHoldersAreCounted) {
  std::vector<Holding> held(12, {"i", {1, 0, {}}});
  const auto slice = reserve(pool_of({}), kPlain, held);
  ASSERT_FALSE(slice);
  EXPECT_TRUE(slice.error().ends_with(" and 2 more.")) << slice.error();
}

TEST(Pool, VcpusAndMemoryAreNotHandedOutTwice) {
  const Pool pool = pool_of({});
  EXPECT_TRUE(reserve(pool, kPlain, {{"i-1", {4, 3000, {}}}}));
  EXPECT_EQ(reserve(pool, kPlain, {{"i-1", {5, 0, {}}}}).error(),
            "InsufficientInstanceCapacity: c.one needs 4 vCPUs and this machine has 3 of 8 vCPUs free; held by i-1 (5).");
  EXPECT_EQ(reserve(pool, kPlain, {{"i-1", {4, 3001, {}}}}).error(),
            "InsufficientInstanceCapacity: c.one needs 1000 MiB of memory and this machine has 999 of 4000 MiB free; "
            "held by i-1 (3001).");
}

TEST(Pool, OvercommitIsForVcpusAndMemoryOnly) {
  Pool pool = pool_of({{"a", ""}, {"b", ""}});
  pool.overcommit = true;
  EXPECT_TRUE(reserve(pool, kPlain, {{"i-1", {100, 100000, {}}}}));
  EXPECT_FALSE(reserve(pool, kTwoGpus, {{"i-1", {1, 1, {"a"}}}}));
}

}  // namespace
}  // namespace control::providers
