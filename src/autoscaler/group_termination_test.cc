// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_termination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autoscaler {
namespace {

using testing::ElementsAre;

const base::Time kChoiceTime = base::from_seconds(1800000000);

struct TerminationSample {
  std::string id, zone = "a";
  int age_minutes = 10;
  bool busy = false, daemons = false, is_protected = false, current = true, configured = false;
  std::int64_t order = 1;
  Lifecycle lifecycle = Lifecycle::InService;
};

std::vector<std::string> choose_ids(std::vector<std::string> policies, std::vector<TerminationSample> samples,
                                    std::size_t count) {
  GroupState group;
  group.zones = {"a", "b"};
  group.termination_policies = std::move(policies);
  for (const TerminationSample& sample : samples) {
    GroupMember one;
    one.id = sample.id;
    one.zone = sample.zone;
    one.launched_at = kChoiceTime - std::chrono::minutes(sample.age_minutes);
    one.is_busy = sample.busy || sample.daemons;
    one.runs_only_daemons = sample.daemons;
    one.is_protected = sample.is_protected;
    one.from_current_source = sample.current;
    one.from_configuration = sample.configured;
    one.source_order = sample.order;
    one.lifecycle = sample.lifecycle;
    group.members.push_back(one);
  }
  std::vector<const GroupMember*> members;
  for (const GroupMember& one : group.members) members.push_back(&one);
  std::vector<std::string> ids;
  for (const GroupMember* one : choose_terminations(group, members, static_cast<std::int32_t>(count), kChoiceTime)) ids.push_back(one->id);
  return ids;
}

TEST(GroupTermination, ZoneBalanceBeatsThePolicies) {
  EXPECT_THAT(
      choose_ids({"OldestInstance"},
                 {{.id = "old", .zone = "b", .age_minutes = 99}, {.id = "x"}, {.id = "y", .age_minutes = 20}}, 1),
      ElementsAre("y"));
}

TEST(GroupTermination, AZoneThatTheGroupHasLeftComesFirst) {
  EXPECT_THAT(choose_ids({"Default"}, {{.id = "x"}, {.id = "y"}, {.id = "z", .zone = "left"}}, 1), ElementsAre("z"));
}

TEST(GroupTermination, PoliciesNarrowInOrder) {
  EXPECT_THAT(choose_ids({"OldestInstance"}, {{.id = "x"}, {.id = "y", .age_minutes = 20}}, 1), ElementsAre("y"));
  EXPECT_THAT(choose_ids({"NewestInstance"}, {{.id = "x"}, {.id = "y", .age_minutes = 20}}, 1), ElementsAre("x"));
  EXPECT_THAT(
      choose_ids({"OldestLaunchTemplate"},
                 {{.id = "x", .order = 2}, {.id = "y", .current = false, .order = 3}, {.id = "z", .order = 1}}, 3),
      ElementsAre("y", "z", "x"));
  EXPECT_THAT(choose_ids({"OldestLaunchConfiguration", "NewestInstance"},
                         {{.id = "x", .configured = true}, {.id = "y", .age_minutes = 1}}, 1),
              ElementsAre("x"));
  EXPECT_THAT(
      choose_ids({"ClosestToNextInstanceHour"}, {{.id = "x", .age_minutes = 119}, {.id = "y", .age_minutes = 61}}, 1),
      ElementsAre("x"));
}

TEST(GroupTermination, TheDefaultTakesConfigurationsThenOldVersionsThenIdleOnesThenTheNextHour) {
  EXPECT_THAT(choose_ids({"Default"},
                         {{.id = "busy", .age_minutes = 119, .busy = true},
                          {.id = "late", .age_minutes = 61},
                          {.id = "soon", .age_minutes = 59},
                          {.id = "old", .order = 0},
                          {.id = "configured", .configured = true, .order = 9}},
                         5),
              ElementsAre("configured", "old", "soon", "late", "busy"));
}

TEST(GroupTermination, AnIdleMachineGoesBeforeABusyOneWhereThePolicyLeavesAChoice) {
  EXPECT_THAT(choose_ids({"OldestLaunchTemplate"}, {{.id = "a", .busy = true}, {.id = "b"}}, 1), ElementsAre("b"));
  EXPECT_THAT(choose_ids({"OldestInstance"}, {{.id = "a", .age_minutes = 20, .busy = true}, {.id = "b"}}, 1),
              ElementsAre("a"));
}

TEST(GroupTermination, AMachineWithDaemonsOnlyGoesBeforeOneWithOtherTasks) {
  EXPECT_THAT(choose_ids({"Default"}, {{.id = "a", .busy = true}, {.id = "b", .daemons = true}, {.id = "c"}}, 3),
              ElementsAre("c", "b", "a"));
}

TEST(GroupTermination, AnInstanceThatIsNotInServiceGoesFirst) {
  EXPECT_THAT(
      choose_ids({"OldestInstance"}, {{.id = "x", .age_minutes = 60}, {.id = "y", .lifecycle = Lifecycle::Pending}}, 1),
      ElementsAre("y"));
}

TEST(GroupTermination, ProtectedInstancesCountForTheBalanceAndAreNeverChosen) {
  EXPECT_THAT(
      choose_ids({"Default"},
                 {{.id = "x", .is_protected = true}, {.id = "y", .is_protected = true}, {.id = "z", .zone = "b"}}, 3),
      ElementsAre("z"));
}

}  // namespace
}  // namespace autoscaler
