// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/state_events.h"

#include <boost/json/parse.hpp>

#include "services/directory.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/tasks/agent_work.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"

namespace services::ecs {
namespace {

namespace json = boost::json;
using shapes::events::PutEventsRequestEntry;
using testing::ElementsAre;
using testing::IsEmpty;

// EventBridge, as ECS calls it.
struct FakeEvents {
  bool has_rule = true;
  std::vector<PutEventsRequestEntry> entries;
  std::vector<Caller> senders;
};

shapes::events::ListRulesResponse fake_list_one_enabled_rule(Call& call, const shapes::events::ListRulesRequest&) {
  shapes::events::ListRulesResponse response;
  response.Rules.emplace();
  if (call.local<FakeEvents>().has_rule) response.Rules->emplace_back();
  return response;
}

shapes::events::PutEventsResponse fake_put_events(Call& call, const shapes::events::PutEventsRequest& request) {
  auto& fake = call.local<FakeEvents>();
  for (const PutEventsRequestEntry& entry : request.Entries) fake.entries.push_back(entry);
  fake.senders.push_back(call.caller);
  return {};
}

class StateEvents : public MachinesTest {
 protected:
  StateEvents() {
    directory_.add("events", {operation<&fake_list_one_enabled_rule>("ListOneEnabledRule", Access::Read),
                              operation<&fake_put_events>("PutEvents", Access::Write)});
    machine_ = add_machine("box", 1);
    register_json(R"({"family":"t","containerDefinitions":[{"name":"c","image":"i","memory":16}]})");
  }

  // Runs a handler where EventBridge is.
  template <class Out, class In>
  Out run_published(Out (*handler)(Call&, const In&), std::string_view text) {
    Out out;
    with_call([&](Call& call) {
      call.directory = &directory_;
      out = handler(call, from_json<In>(text));
    });
    return out;
  }
  std::string start() {
    return *run_published(&run_task, R"({"taskDefinition":"t"})").tasks->at(0).taskArn;
  }
  // "detail-type lastStatus/desiredStatus" or "detail-type status", in the order of publication.
  std::vector<std::string> published() {
    std::vector<std::string> all;
    for (const PutEventsRequestEntry& entry : std::exchange(fake_.entries, {})) {
      const json::value detail = json::parse(*entry.Detail);
      const auto& members = detail.get_object();
      auto text = [&](const char* name) { return std::string(members.at(name).get_string()); };
      all.push_back(*entry.DetailType == "ECS Task State Change"
                        ? "task " + text("lastStatus") + "/" + text("desiredStatus")
                        : "instance " + text("status"));
    }
    return all;
  }

  FakeEvents& fake_ = locals_.add<FakeEvents>();
  Directory directory_;
  std::string machine_;
};

TEST_F(StateEvents, ATaskPublishesEachChangeAndItsMachineWhatRemains) {
  const std::string task = start();
  EXPECT_THAT(published(), ElementsAre("task PENDING/RUNNING", "instance ACTIVE"));
  run_published(&submit_task_state_change, R"({"task":")" + task + R"(","status":"RUNNING"})");
  EXPECT_THAT(published(), ElementsAre("task RUNNING/RUNNING"));
  run_published(&stop_task, R"({"task":")" + task + R"("})");
  EXPECT_THAT(published(), ElementsAre("task RUNNING/STOPPED"));
  run_published(&submit_task_state_change, R"({"task":")" + task + R"(","status":"STOPPED"})");
  EXPECT_THAT(published(), ElementsAre("task STOPPED/STOPPED", "instance ACTIVE"));
  run_published(&submit_task_state_change, R"({"task":")" + task + R"(","status":"STOPPED"})");
  EXPECT_THAT(published(), IsEmpty()) << "a late report changes nothing";
}

TEST_F(StateEvents, AnEventHasTheTaskInAmazonsFormAndTheServicesName) {
  const std::string task = start();
  const PutEventsRequestEntry entry = fake_.entries.at(0);
  EXPECT_EQ(entry.Source, "aws.ecs");
  EXPECT_THAT(*entry.Resources, ElementsAre(task));
  const json::value detail = json::parse(*entry.Detail);
  EXPECT_EQ(detail.at("taskArn").get_string(), task);
  EXPECT_EQ(detail.at("createdAt").get_string(), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(detail.at("updatedAt").get_string(), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(detail.at("version").to_number<int>(), 1);
  EXPECT_FALSE(detail.get_object().contains("tags"));
  EXPECT_FALSE(detail.get_object().contains("healthStatus"));
  EXPECT_EQ(fake_.senders.at(0).service, "ecs.amazonaws.com");
  EXPECT_EQ(fake_.senders.at(0).account, caller_.account);
}

TEST_F(StateEvents, AMachinePublishesItsStatusAndItsTrouble) {
  start();
  fake_.entries.clear();
  run_published(&update_container_instances_state,
                R"({"status":"DRAINING","containerInstances":[")" + machine_ + R"("]})");
  EXPECT_THAT(published(), ElementsAre("instance DRAINING"));
  with_call([&](Call& call) {
    call.directory = &directory_;
    store_troubles(call, model::InstanceId(machine_), {{{"disk", "its disk is full", 0}}});
    store_troubles(call, model::InstanceId(machine_), {{{"disk", "its disk is full", 0}}});
  });
  EXPECT_THAT(published(), ElementsAre("instance DRAINING")) << "the second report changes nothing";
  run_published(&deregister_container_instance, R"({"force":true,"containerInstance":")" + machine_ + R"("})");
  EXPECT_THAT(published(), ElementsAre("task STOPPED/STOPPED", "instance DRAINING", "instance INACTIVE"));
}

TEST_F(StateEvents, WithoutARuleNothingIsPublished) {
  fake_.has_rule = false;
  start();
  EXPECT_THAT(published(), IsEmpty());
}

}  // namespace
}  // namespace services::ecs
