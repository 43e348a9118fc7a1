// SPDX-License-Identifier: Apache-2.0
// What EventBridge receives about services.
#include "services/ecs/reconciliation/service_events.h"

#include <boost/json/parse.hpp>

#include "base/log.h"
#include "services/ecs/reconciliation/reconciliation_fixture.h"
#include "services/ecs/state_events.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct FakeBus {
  std::vector<shapes::events::PutEventsRequestEntry> entries;
  std::string broken_for = {};  // events with this text
};

shapes::events::ListRulesResponse fake_list_rules(Call&, const shapes::events::ListRulesRequest&) {
  shapes::events::ListRulesResponse response;
  response.Rules.emplace().emplace_back();
  return response;
}

shapes::events::PutEventsResponse fake_receive_events(Call& call, const shapes::events::PutEventsRequest& request) {
  FakeBus& bus = call.local<FakeBus>();
  auto& entries = bus.entries;
  for (const auto& entry : request.Entries) {
    if (!bus.broken_for.empty() && entry.Detail->find(bus.broken_for) != std::string::npos) {
      throw wire::ApiError("InternalException", "The bus is broken.");
    }
  }
  entries.insert(entries.end(), request.Entries.begin(), request.Entries.end());
  return {};
}

class ServiceActions : public ReconciliationTest {
 protected:
  ServiceActions() {
    directory_.add("events", {operation<&fake_list_rules>("ListOneEnabledRule", Access::Read),
                              operation<&fake_receive_events>("PutEvents", Access::Write)});
  }
  // "eventType eventName", and the reason where there is one, of service actions and deployments.
  std::vector<std::string> published() {
    std::vector<std::string> all;
    for (const auto& entry : std::exchange(bus_.entries, {})) {
      if (*entry.DetailType != kServiceAction && *entry.DetailType != kDeploymentStateChange) continue;
      EXPECT_THAT(*entry.Resources, ElementsAre("arn:aws:ecs:us-east-1:111111111111:service/default/web"));
      const boost::json::value detail = boost::json::parse(*entry.Detail);
      const auto& members = detail.get_object();
      const auto text = [&](const char* name) { return std::string(members.at(name).get_string()); };
      std::string line = text("eventType") + " " + text("eventName");
      if (members.contains("reason")) line += ": " + text("reason");
      all.push_back(std::move(line));
    }
    return all;
  }

  FakeBus& bus_ = locals_.add<FakeBus>();
};

TEST_F(ServiceActions, ADeploymentIsPublishedFromItsBeginToTheSteadyState) {
  add_machine("a", 0);
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  const std::string id = *describe_service("web").deployments->at(0).id;
  EXPECT_THAT(published(), ElementsAre("INFO SERVICE_DEPLOYMENT_IN_PROGRESS: ECS deployment " + id + " in progress.",
                                       "INFO TASKS_STARTED"));
  run_until_quiet("web");
  EXPECT_THAT(published(), ElementsAre("INFO SERVICE_DEPLOYMENT_COMPLETED: ECS deployment " + id + " completed.",
                                       "INFO SERVICE_STEADY_STATE"));
}

TEST_F(ServiceActions, APlacementThatFailsIsPublishedOnceWithItsReason) {
  add_machine("a", 1);
  create(R"({"serviceName":"web","taskDefinition":"four","desiredCount":1})");
  EXPECT_THAT(published(), Contains("ERROR SERVICE_TASK_PLACEMENT_FAILURE: RESOURCE:GPU"));
  const Task other = run_family("plain").tasks->at(0);
  report(other, "STOPPED");
  settle();
  EXPECT_THAT(published(), IsEmpty()) << "looked at again, and the same";
}

TEST_F(ServiceActions, TheDesiredCountOfADaemonIsPublished) {
  add_machine("a", 0);
  create(R"({"serviceName":"web","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  EXPECT_THAT(published(), Contains("INFO SERVICE_DESIRED_COUNT_UPDATED"));
}

TEST_F(ServiceActions, AServiceWhoseChangeFailsIsLeftOutAndTheOthersContinue) {
  add_machine("a", 0);
  base::set_log_level(base::LogLevel::Off);
  for (const std::string name : {"bad", "good"}) {
    run_json(&create_service, R"({"serviceName":")" + name + R"(","taskDefinition":"plain","desiredCount":1})");
  }
  bus_.broken_for = *describe_service("bad").deployments->at(0).id;
  const Decision decision = look();
  EXPECT_THROW(apply(decision), wire::ApiError);
  settle();
  EXPECT_THAT(tasks("good"), SizeIs(1));
  EXPECT_THAT(tasks("bad"), IsEmpty());
  bus_.broken_for.clear();
  run_json(&update_service, R"({"service":"bad","desiredCount":2})");
  settle();
  EXPECT_THAT(tasks("bad"), IsEmpty()) << "whatever changes meanwhile";
  ASSERT_EQ(next_, now_ + std::chrono::minutes(1));
  settle_for(std::chrono::minutes(1));
  EXPECT_THAT(tasks("bad"), SizeIs(2));
  base::set_log_level(base::LogLevel::Info);
}

TEST(Announcements, AConditionWhoseTextChangesIsAnnouncedAfterFiveMinutes) {
  const base::Time now = base::from_seconds(1800000000);
  const auto one = [](const std::string& holder) {
    return std::vector<Condition>{{.message = "(service s) (deployment d) waits for a GPU: held by " + holder}};
  };
  ServiceQueue::Announced announced;
  EXPECT_THAT(to_announce(one("a"), announced, now), SizeIs(1));
  EXPECT_EQ(next_announcement(announced), now + kRepeatEventsAfter);
  EXPECT_THAT(to_announce(one("b"), announced, now + std::chrono::minutes(1)), IsEmpty());
  EXPECT_EQ(next_announcement(announced), now + kChangedEventAfter);
  EXPECT_THAT(to_announce(one("a"), announced, now + std::chrono::minutes(6)), IsEmpty()) << "the same as announced";
  EXPECT_THAT(to_announce(one("b"), announced, now + std::chrono::minutes(6)), SizeIs(1));
  EXPECT_THAT(to_announce({}, announced, now + std::chrono::minutes(7)), IsEmpty());
  EXPECT_THAT(to_announce(one("a"), announced, now + std::chrono::minutes(7)), SizeIs(1)) << "it was over in between";
}

TEST(Announcements, AKindIsKnownByItsWords) {
  EXPECT_EQ(kind_of("(service s) was unable to place a task because"), ConditionKind::Unplaced);
  EXPECT_EQ(kind_of("(service s) is unable to place a task in us-east-1a because"), ConditionKind::Unplaced);
  EXPECT_EQ(kind_of("(service s) (deployment d) waits for a machine."), ConditionKind::Waits);
  EXPECT_EQ(kind_of("(service s) is unable to consistently start tasks successfully."), ConditionKind::Throttled);
  EXPECT_EQ(kind_of("(service s) was unable to stop or start tasks during a deployment"), ConditionKind::Stuck);
  EXPECT_EQ(kind_of("(service s) was unable to reach steady state because (taskSet d) was unable to scale in due to"),
            ConditionKind::Protected);
  EXPECT_EQ(kind_of("(service s) has started 1 tasks: (task t)."), ConditionKind::Other);
}

TEST(Announcements, AConditionThatWasOverInBetweenIsAnnouncedAgain) {
  const base::Time now = base::from_seconds(1800000000);
  const std::vector<Condition> conditions{{.message = "a"}};
  ServiceQueue::Announced announced;
  EXPECT_THAT(to_announce(conditions, announced, now), SizeIs(1));
  EXPECT_THAT(to_announce(conditions, announced, now + std::chrono::hours(5)), IsEmpty());
  EXPECT_THAT(to_announce({}, announced, now + std::chrono::hours(5)), IsEmpty());
  EXPECT_THAT(announced, IsEmpty());
  EXPECT_THAT(to_announce(conditions, announced, now + std::chrono::hours(5)), SizeIs(1));
  EXPECT_THAT(to_announce(conditions, announced, now + std::chrono::hours(11)), SizeIs(1)) << "after six hours";
}

}  // namespace
}  // namespace services::ecs
