// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/module.h"

#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

class ModuleTest : public MachinesTest {
 protected:
  // "name{label}" -> value
  std::map<std::string, double> gauges() {
    std::map<std::string, double> values;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_};
      for (const Gauge& gauge : module_.gauges(call)) {
        std::string name = gauge.name;
        for (const auto& [label, value] : gauge.labels) name += "{" + label + "=" + value + "}";
        values[name] = gauge.value;
      }
    });
    return values;
  }

  const Module module_ = module({});
};

TEST_F(ModuleTest, EachOperationIsListedOnce) {
  std::set<std::string_view> names;
  for (const Operation& operation : module_.service.operations) {
    EXPECT_TRUE(names.insert(operation.wire.name).second) << operation.wire.name;
  }
  EXPECT_EQ(names.size(), 57u);
}

TEST_F(ModuleTest, RecoveryDisconnectsMachinesAndLoadsFleets) {
  const std::string id = add_machine("a", 2);
  run_family("one");
  Locals fresh;
  module_.add_memory(fresh);
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &fresh};
    module_.recover(call);
  });
  const MachineCounts counts = fresh.get<Fleets>().count();
  EXPECT_EQ(counts.machines, 1u);
  EXPECT_EQ(counts.connected, 0u);
  EXPECT_EQ(counts.held_gpus, 1u);
  EXPECT_FALSE(*describe_machine(id).agentConnected);
}

TEST_F(ModuleTest, GaugesCountTasksMachinesAndGpus) {
  EXPECT_EQ(gauges().at("stoker_ecs_tasks{status=RUNNING}"), 0);
  add_machine("a", 4);
  const std::string away = add_machine("b", 2);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(away), false); });
  const Task task = run_family("one").tasks->at(0);
  run_family("share");
  report(task, "RUNNING");
  const auto values = gauges();
  EXPECT_EQ(values.at("stoker_ecs_tasks{status=RUNNING}"), 1);
  EXPECT_EQ(values.at("stoker_ecs_tasks{status=PENDING}"), 1);
  EXPECT_EQ(values.at("stoker_ecs_machines"), 2);
  EXPECT_EQ(values.at("stoker_ecs_machines_connected"), 1);
  EXPECT_EQ(values.at("stoker_ecs_gpus"), 6);
  EXPECT_EQ(values.at("stoker_ecs_gpus_held"), 2);
}

}  // namespace
}  // namespace services::ecs
