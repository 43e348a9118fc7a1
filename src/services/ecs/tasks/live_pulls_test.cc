// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/live_pulls.h"

#include <gmock/gmock.h>

namespace services::ecs {
namespace {

using shapes::agent::StokerPull;
using shapes::agent::StokerPulls;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const model::InstanceId kBox("box"), kOther("other");
const model::TaskId kOne("1"), kTwo("2"), kThree("3");
constexpr base::Time kNow = base::from_seconds(1000);

StokerPull pull(const std::string& image, std::vector<std::string> tasks, std::int32_t done = 0) {
  for (std::string& task : tasks) task = "arn:aws:ecs:r:1:task/default/" + task;
  return {.image = image, .taskArns = std::move(tasks), .startedAt = 5000, .layers = 7, .layersDone = done};
}

TEST(LivePulls, EachTaskHasTheOnesItWaitsFor) {
  LivePulls live;
  live.put(kBox, kNow, {{pull("a", {"1", "2"}), pull("b", {"2"})}});
  ASSERT_THAT(live.of(kBox, kTwo), SizeIs(2));
  EXPECT_EQ(live.of(kBox, kTwo)[1].image, "b");
  EXPECT_THAT(live.of(kBox, kOne), SizeIs(1));
  EXPECT_THAT(live.of(kBox, kThree), IsEmpty());
  EXPECT_THAT(live.of(kOther, kOne), IsEmpty()) << "a machine can only speak of its own tasks";
}

TEST(LivePulls, AMessageReplacesTheOneBeforeAndNamesTheTasksThatItChanges) {
  LivePulls live;
  EXPECT_THAT(live.put(kBox, kNow, {{pull("a", {"1", "2"}), pull("b", {"3"})}}), ElementsAre(kOne, kTwo, kThree));
  EXPECT_THAT(live.put(kBox, kNow, {{pull("a", {"1", "2"}), pull("b", {"3"})}}), IsEmpty());
  EXPECT_THAT(live.put(kBox, kNow, {{pull("a", {"1"}, 4), pull("b", {"3"})}}), ElementsAre(kOne, kTwo));
  EXPECT_THAT(live.of(kBox, kTwo), IsEmpty());
  EXPECT_EQ(live.of(kBox, kOne)[0].layersDone, 4);
  live.put(kOther, kNow, {{pull("a", {"2"})}});
  EXPECT_THAT(live.forget(kBox), ElementsAre(kOne, kThree));
  EXPECT_THAT(live.of(kBox, kOne), IsEmpty());
  EXPECT_THAT(live.of(kOther, kTwo), SizeIs(1));
}

TEST(LivePulls, WhatAnAgentSendsIsBounded) {
  LivePulls live;
  StokerPulls many;
  many.pulls.assign(LivePulls::kMaxPulls + 1, pull("a", {"1"}));
  live.put(kBox, kNow, many);
  EXPECT_THAT(live.of(kBox, kOne), SizeIs(LivePulls::kMaxPulls));
  std::vector<std::string> tasks;
  for (int i = 0; i < 5000; ++i) tasks.push_back(std::to_string(i));
  EXPECT_THAT(live.put(kOther, kNow, {{pull("a", tasks)}}), SizeIs(LivePulls::kMaxTasks));

  StokerPull odd = pull(std::string(100'000, 'x') + "\x1b", {"1"}, -7);
  odd.startedAt = std::numeric_limits<std::int64_t>::max();
  odd.downloadedBytes = odd.totalBytes = -1;
  live.put(kBox, kNow, {{odd}});
  const StokerPull kept = live.of(kBox, kOne).at(0);
  EXPECT_EQ(kept.image.size(), LivePulls::kMaxTextBytes);
  EXPECT_EQ(kept.startedAt, base::to_millis(kNow));
  EXPECT_EQ(kept.layersDone, 0);
  EXPECT_EQ(kept.totalBytes, 0);
}

TEST(LivePulls, TheTextHasWhatIsKnown) {
  StokerPull one;
  EXPECT_EQ(to_state(one).detail, "");
  EXPECT_EQ(to_state(one).phase, "DOWNLOADING");
  one.layers = 7;
  one.layersDone = 3;
  EXPECT_EQ(to_state(one).detail, "3 of 7 layers");
  one.downloadedBytes = 412 << 20;
  one.totalBytes = 1'300'000'000;
  EXPECT_EQ(to_state(one).detail, "3 of 7 layers, 412 MiB of 1.2 GiB");
  one.extracting = true;
  EXPECT_EQ(to_state(one).detail, "3 of 7 layers, 412 MiB of 1.2 GiB, extracting");
  EXPECT_EQ(to_state(one).phase, "EXTRACTING");
}

}  // namespace
}  // namespace services::ecs
