// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/gpu_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"

namespace agent::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> ids_of(const std::vector<Gpu>& gpus) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus) ids.push_back(gpu.id);
  return ids;
}

TEST(GpuSelection, ReadsSourcesNamesAndLists) {
  EXPECT_EQ(*parse_gpus("auto"), (GpuSelection{"auto"}));
  EXPECT_EQ(*parse_gpus("none"), (GpuSelection{"none"}));
  EXPECT_EQ(*parse_gpus("fake:8xV100"), (GpuSelection{"fake:8xV100"}));
  EXPECT_EQ(*parse_gpus("fake:8xV100@box-pool#2,GPU-a"), (GpuSelection{"fake:8xV100", "box-pool", {"2", "GPU-a"}}));
  EXPECT_EQ(*parse_gpus("auto#1"), (GpuSelection{"auto", "", {"1"}}));
  EXPECT_EQ(*parse_gpus("0,3"), (GpuSelection{"auto", "", {"0", "3"}}));
  EXPECT_EQ(*parse_gpus("GPU-a,GPU-b"), (GpuSelection{"auto", "", {"GPU-a", "GPU-b"}}));
}

TEST(GpuSelection, InvalidTextsAreRejected) {
  for (const char* text : {"", "some", "auto#", "auto#x", "auto#0,", "0,x", "fake:8xV100@", "fake:8xV100@#0", "1234", "GPU-"}) {
    const auto parsed = parse_gpus(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("invalid GPUs")) << text;
  }
}

class SelectedGpusTest : public testing::Test {
 protected:
  ~SelectedGpusTest() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<GpuSource> open(const std::string& text, const std::string& machine) {
    auto opened = open_gpus(text, machine, folder_);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error());
    return std::move(*opened);
  }
  const std::string folder_ = testing::TempDir() + "gpus-" + base::random_uuid();
};

TEST_F(SelectedGpusTest, AgentsOfOnePoolHaveTheirOwnGpusOfIt) {
  const auto pool = *list_gpus("fake:4xV100@pool", "box");
  ASSERT_EQ(pool.size(), 4u);
  auto first = open("fake:4xV100@pool#" + pool[1].id, "i-1");
  auto second = open("fake:4xV100@pool#0,2", "i-2");
  EXPECT_THAT(ids_of(first->probe()), ElementsAre(pool[1].id));
  EXPECT_THAT(ids_of(second->probe()), ElementsAre(pool[0].id, pool[2].id));
  ASSERT_EQ(first->sample().size(), 1u);
  EXPECT_EQ(first->sample()[0].id, pool[1].id);
  ASSERT_EQ(second->details().size(), 2u);
}

TEST_F(SelectedGpusTest, SimulatedGpusOfAPoolAreNotThoseOfTheMachine) {
  EXPECT_NE(list_gpus("fake:1xT4@box-pool", "box")->front().id, list_gpus("fake:1xT4", "box")->front().id);
  EXPECT_EQ(list_gpus("fake:1xT4", "box")->front().id, open("fake:1xT4", "box")->probe().front().id);
}

TEST_F(SelectedGpusTest, ListsNoGpusOfNone) { EXPECT_TRUE(list_gpus("none", "box")->empty()); }

}  // namespace
}  // namespace agent::gpu
