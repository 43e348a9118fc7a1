// SPDX-License-Identifier: Apache-2.0
// What EventBridge receives about services.
#include "services/ecs/reconciliation/service_events.h"

#include <boost/json/parse.hpp>

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
};

shapes::events::ListRulesResponse fake_list_rules(Call&, const shapes::events::ListRulesRequest&) {
  shapes::events::ListRulesResponse response;
  response.Rules.emplace().emplace_back();
  return response;
}

shapes::events::PutEventsResponse fake_receive_events(Call& call, const shapes::events::PutEventsRequest& request) {
  auto& entries = call.local<FakeBus>().entries;
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
