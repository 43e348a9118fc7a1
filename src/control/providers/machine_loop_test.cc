// SPDX-License-Identifier: Apache-2.0
#include "control/providers/machine_loop.h"

#include "base/guarded.h"
#include "control/providers/child_process.h"
#include "control/providers/machine_loop_fixture.h"

namespace control::providers {
namespace {

using state::Ec2State;
using testing::ElementsAre;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

// The world outside, which survives the provider: its machines, and what was done with them.
struct World {
  std::set<std::string> machines;      // identities
  std::set<std::string> ended;         // by themselves
  Strings starts, stops;               // instances
  std::map<std::string, int> refused;  // stops of this instance that fail
  std::set<std::string> broken;        // instances whose start fails
  std::set<std::string> slow;          // instances that are on their way until they are in `machines`
};

class FakeProvider final : public InstanceProvider {
 public:
  explicit FakeProvider(base::Guarded<World>& world) : world_(world) {}

  std::string_view name() const override { return "fake"; }
  base::Result<Slice> reserve(const model::InstanceType& type, const std::vector<Holding>& held) const override {
    return providers::reserve({.vcpus = 8, .memory_mib = 1 << 20, .gpus = {{"GPU-a", ""}, {"GPU-b", ""}}}, type, held);
  }
  boost::asio::awaitable<base::Result<Started>> start(Machine machine) override {
    EXPECT_TRUE(std::filesystem::exists(machine.token_file()));
    EXPECT_EQ(machine.record.provider, "fake");
    co_return world_.with([&](World& world) -> base::Result<Started> {
      const std::string& id = machine.instance.id;
      world.starts.push_back(id);
      if (world.broken.contains(id)) return base::Error{"no machine for " + id};
      const bool slow = world.slow.contains(id);
      if (!slow) world.machines.insert("m-" + id);
      return Started{.identity = "m-" + id, .running = !slow};
    });
  }
  boost::asio::awaitable<MachineEvent> watch(Machine machine) override {
    const std::string identity = machine.record.identity;
    const bool pending = machine.instance.state == Ec2State::Pending;
    for (;;) {
      const bool runs = world_.with([&](World& world) { return world.machines.contains(identity); });
      const bool ended = world_.with([&](World& world) { return world.ended.contains(identity); });
      MachineEvent event;
      if (ended) {
        event.reason = "broke";
        co_return event;
      }
      event.kind = MachineEvent::Kind::Running;
      if (runs && pending) co_return event;
      co_await sleep_for(std::chrono::milliseconds(5));
    }
  }
  boost::asio::awaitable<base::Result<Nothing>> stop(Machine machine) override {
    co_return world_.with([&](World& world) -> base::Result<Nothing> {
      world.stops.push_back(machine.instance.id);
      if (world.refused[machine.instance.id]-- > 0) return base::Error{"not yet"};
      world.machines.erase(machine.record.identity);
      return Nothing{};
    });
  }

 private:
  base::Guarded<World>& world_;
};

class MachineLoopTest : public MachineLoopFixture {
 protected:
  ~MachineLoopTest() override { stop_loop(); }
  void start() { start_loop(std::make_unique<FakeProvider>(world_)); }
  Strings machines() {
    return world_.with([](World& world) { return Strings(world.machines.begin(), world.machines.end()); });
  }
  base::Guarded<World> world_;
};

TEST_F(MachineLoopTest, APendingInstanceGetsAMachineAndALeavingOneLosesIt) {
  start();
  add("i-1");
  EXPECT_EQ(reports().at(0).event, "starting");
  EXPECT_EQ(reports().at(1).event, "started");
  EXPECT_THAT(machines(), ElementsAre("m-i-1"));
  const MachineRecord made = record("i-1");
  EXPECT_EQ(made.identity, "m-i-1");
  EXPECT_EQ(made.vcpus, 4);
  EXPECT_THAT(made.gpus, ElementsAre("GPU-a"));
  EXPECT_EQ(keys(), 1u);
  set_state("i-1", Ec2State::ShuttingDown);
  EXPECT_EQ(reports().at(2).event, "stopped");
  EXPECT_THAT(machines(), IsEmpty());
  EXPECT_EQ(keys(), 0u) << "the key of its agent is deleted with it";
  EXPECT_EQ(record("i-1"), MachineRecord());
}

TEST_F(MachineLoopTest, GpusAreAssignedOnceAndAFullPoolFailsTheLaunchWithItsReason) {
  start();
  add("i-1");
  add("i-2");
  add("i-3");
  for (std::size_t i = 0; i < 5; ++i) reports().at(i);
  EXPECT_NE(record("i-1").gpus, record("i-2").gpus);
  const auto events = reports().events();
  ASSERT_EQ(std::ranges::count(events, "failed"), 1);
  const auto failed = reports().at(static_cast<std::size_t>(std::ranges::find(events, "failed") - events.begin()));
  EXPECT_EQ(failed.instanceId, "i-3");
  EXPECT_EQ(failed.reason, "InsufficientInstanceCapacity: g4dn.xlarge needs 1 GPUs and this machine has 0 of 2 GPUs "
                           "free; held by i-1 (1), i-2 (1).");
  EXPECT_EQ(keys(), 2u);
}

TEST_F(MachineLoopTest, AFailedStartIsReportedAndLeavesNothing) {
  world_.with([](World& world) { world.broken = {"i-1"}; });
  start();
  add("i-1");
  EXPECT_EQ(reports().at(1).event, "failed");
  EXPECT_EQ(reports().at(1).reason, "no machine for i-1");
  EXPECT_EQ(keys(), 0u);
}

TEST_F(MachineLoopTest, AnUnknownTypeFails) {
  start();
  add("i-1", "box.huge");
  EXPECT_EQ(reports().at(0).event, "failed");
  EXPECT_EQ(reports().at(0).reason, "InvalidParameterValue: unknown instance type 'box.huge'.");
}

TEST_F(MachineLoopTest, AMachineThatEndsByItselfIsLostAndItsRemainsAreRemovedBefore) {
  start();
  add("i-1");
  reports().at(1);
  world_.with([](World& world) { world.ended = {"m-i-1"}; });
  EXPECT_EQ(reports().at(2).event, "lost");
  EXPECT_EQ(reports().at(2).reason, "broke");
  EXPECT_THAT(world_.with([](World& world) { return world.stops; }), ElementsAre("i-1"));
  EXPECT_EQ(keys(), 0u);
}

TEST_F(MachineLoopTest, AMachineOnItsWayIsReportedWhenItRuns) {
  world_.with([](World& world) { world.slow = {"i-1", "i-2"}; });
  start();
  add("i-1");
  EXPECT_EQ(reports().at(1).event, "starting");
  EXPECT_EQ(record("i-1").identity, "m-i-1");
  world_.with([](World& world) { world.machines.insert("m-i-1"); });
  EXPECT_EQ(reports().at(2).event, "started");
  add("i-2");
  reports().at(4);
  world_.with([](World& world) { world.ended = {"m-i-2"}; });
  EXPECT_EQ(reports().at(5).event, "failed") << "it never ran";
}

TEST_F(MachineLoopTest, AServerAdoptsTheMachinesOfTheOneBefore) {
  start();
  add("i-1");
  reports().at(1);
  stop_loop();
  start();
  world_.with([](World& world) { world.ended = {"m-i-1"}; });
  EXPECT_EQ(reports().at(2).event, "lost");
  EXPECT_THAT(world_.with([](World& world) { return world.starts; }), ElementsAre("i-1"));
}

TEST_F(MachineLoopTest, AnInterruptedStartContinuesWithItsReservation) {
  add("i-1");
  start();
  reports().at(1);
  stop_loop();
  MachineRecord interrupted = record("i-1");
  interrupted.identity.clear();
  set_record("i-1", interrupted);
  set_state("i-1", Ec2State::Pending);
  start();
  EXPECT_EQ(reports().at(2).event, "started") << "nothing is reserved again";
  EXPECT_EQ(record("i-1").key, interrupted.key);
  EXPECT_EQ(record("i-1").gpus, interrupted.gpus);
  EXPECT_EQ(keys(), 1u);
}

TEST_F(MachineLoopTest, ARunningInstanceWhoseInterruptedStartCannotContinueIsLost) {
  world_.with([](World& world) { world.broken = {"i-1"}; });
  add("i-1", "g4dn.xlarge", Ec2State::Running);
  start();
  EXPECT_EQ(reports().at(1).event, "lost") << "its agent had joined before the server ended";
}

TEST_F(MachineLoopTest, AnInterruptedStopIsRepeated) {
  add("i-1");
  start();
  reports().at(1);
  stop_loop();
  set_state("i-1", Ec2State::ShuttingDown);
  start();
  EXPECT_EQ(reports().at(2).event, "stopped");
  EXPECT_THAT(machines(), IsEmpty());
}

TEST_F(MachineLoopTest, AFailedStopIsRepeatedUntilTheMachineIsGone) {
  world_.with([](World& world) { world.refused["i-1"] = 1; });
  start();
  add("i-1");
  reports().at(1);
  set_state("i-1", Ec2State::ShuttingDown);
  EXPECT_EQ(reports().at(2).event, "stopped");
  EXPECT_THAT(world_.with([](World& world) { return world.stops; }), ElementsAre("i-1", "i-1"));
}

TEST_F(MachineLoopTest, AStoppedInstanceThatStartsAgainGetsANewMachine) {
  start();
  add("i-1");
  reports().at(1);
  const std::string key = record("i-1").key;
  set_state("i-1", Ec2State::Stopping);
  EXPECT_EQ(reports().at(2).event, "stopped");
  set_state("i-1", Ec2State::Pending);
  EXPECT_EQ(reports().at(4).event, "started");
  EXPECT_NE(record("i-1").key, key);
}

TEST_F(MachineLoopTest, AnInstanceThatLeavesBeforeItsStartHasNothingToStop) {
  add("i-1", "g4dn.xlarge", Ec2State::ShuttingDown);
  start();
  EXPECT_EQ(reports().at(0).event, "stopped");
  EXPECT_THAT(world_.with([](World& world) { return world.stops; }), IsEmpty());
}

TEST_F(MachineLoopTest, MachinesOfAnotherProviderAreLeftAlone) {
  add("i-1", "g4dn.xlarge", Ec2State::ShuttingDown);
  set_record("i-1", {.provider = "slurm", .key = "", .identity = "42", .gpus = {}});
  add("i-2");
  start();
  EXPECT_EQ(reports().at(0).instanceId, "i-2");
  EXPECT_EQ(reports().at(1).event, "started");
  EXPECT_THAT(world_.with([](World& world) { return world.stops; }), IsEmpty());
}

TEST_F(MachineLoopTest, FoldersOfFormerMachinesAreDeletedAtTheStart) {
  std::filesystem::create_directories(folder_ + "/instances/i-old");
  add("i-1");
  start();
  reports().at(1);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/instances/i-old"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/instances/i-1"));
}

TEST_F(MachineLoopTest, ManyInstancesStartAndEnd) {
  start();
  for (int i = 0; i < 30; ++i) add("i-" + std::to_string(i), "t3.nano", Ec2State::ShuttingDown);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(reports().at(i).event, "stopped");
}

}  // namespace
}  // namespace control::providers
