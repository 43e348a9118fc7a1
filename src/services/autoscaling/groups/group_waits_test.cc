// SPDX-License-Identifier: Apache-2.0
// StokerListGroupWaits, and the protocols of the service.
#include "shapes/stoker/group_waits.h"

#include <gmock/gmock.h>

#include "services/autoscaling/groups/group_fixture.h"
#include "shapes/autoscaling/lifecycle_hook.h"

namespace services::autoscaling {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

class GroupWaits : public GroupTest {
 protected:
  shapes::stoker::StokerListGroupWaitsResponse waits() {
    return run<shapes::stoker::StokerListGroupWaitsResponse>("StokerListGroupWaits",
                                                             shapes::stoker::StokerListGroupWaitsRequest{"workers"});
  }
};

TEST_F(GroupWaits, AFailedLaunchIsRetriedLater) {
  fake().launch_error = "no GPU is free";
  create(1, 2);
  settle();
  EXPECT_EQ(waits().failedLaunches, 1);
  ASSERT_TRUE(waits().retryAt);
  EXPECT_GT(*waits().retryAt, now_);
  EXPECT_FALSE(waits().newestInServiceAt);
}

TEST_F(GroupWaits, InstancesInServiceHaveATimeAndHooksAreListed) {
  create_running(1, 2, 1);
  EXPECT_EQ(waits().newestInServiceAt, now_);
  EXPECT_THAT(waits().hooks, IsEmpty());
  shapes::autoscaling::PutLifecycleHookType hook;
  hook.AutoScalingGroupName = "workers";
  hook.LifecycleHookName = "save";
  hook.LifecycleTransition = "autoscaling:EC2_INSTANCE_LAUNCHING";
  hook.HeartbeatTimeout = 60;
  run<shapes::autoscaling::PutLifecycleHookAnswer>("PutLifecycleHook", hook);
  set_capacity(2);
  start("i-1002");
  ASSERT_THAT(waits().hooks, SizeIs(1));
  EXPECT_EQ(waits().hooks[0].instanceId, "i-1002");
  EXPECT_EQ(waits().hooks[0].hook, "save");
  EXPECT_EQ(waits().hooks[0].expiresAt, now_ + std::chrono::seconds(60));
  EXPECT_EQ(waits().hooks[0].defaultResult, "ABANDON");
}

TEST_F(GroupWaits, TheServiceSpeaksJsonForOurCommandLine) {
  EXPECT_THAT(module_.service.protocols, Contains(wire::Protocol::Json11));
  EXPECT_EQ(module_.service.wire.target_prefix, "AutoScaling_2011_01_01");
}

}  // namespace
}  // namespace services::autoscaling
