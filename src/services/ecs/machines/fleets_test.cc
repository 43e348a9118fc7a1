// SPDX-License-Identifier: Apache-2.0
// The fleet is a cache of the database: both must agree.
#include "services/ecs/machines/fleets.h"

#include <future>
#include <random>

#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/tasks/stop.h"

namespace services::ecs {
namespace {

class FleetsTest : public MachinesTest {
 protected:
  // One of many writes that share a transaction: starts tasks, stops some, and fails now and then.
  void work(Call& call, std::minstd_rand random) {
    const int what = static_cast<int>(random() % 8);
    if (what < 5) run_task(call, {.count = 1 + static_cast<int>(random() % 3), .taskDefinition = "one"});
    if (what == 5) start_task(call, {.containerInstances = {machines_[0], machines_[1]}, .taskDefinition = "four"});
    if (what > 2) {
      for (state::Task& task : state::list_tasks_on(call.tx, model::InstanceId(machines_[random() % machines_.size()]))) {
        if (random() % 2 == 0) stop_now(call, task, model::StopCode::UserInitiated, "enough");
      }
    }
    if (what == 7) set_connected(call, model::InstanceId(machines_[2]), random() % 2 == 0);
    if (random() % 40 == 0) throw std::runtime_error("no");
  }

  void expect_as_in_database() {
    Fleets fresh;
    store_->read_now([&](store::Tx& tx) { fresh.load(tx); });
    for (const std::string& id : machines_) {
      const auto of = [&](Fleets& fleets) {
        return fleets.with(state::ClusterNumber(1), [&](scheduler::Fleet& fleet) {
          const scheduler::Machine& machine = *fleet.find(model::InstanceId(id));
          std::set<std::string> tasks;
          for (const model::TaskHold& hold : machine.tasks()) tasks.insert(hold.task.str());
          for (const scheduler::GpuUse& use : machine.gpu_uses()) EXPECT_LE(use.whole_holders, 1);
          return std::tuple(tasks, machine.idle_gpus(), machine.free_cpu(), machine.free_memory_mib(),
                            machine.accepts_tasks());
        });
      };
      EXPECT_EQ(of(fleets_), of(fresh)) << id;
    }
  }

  std::vector<std::string> machines_;
};

TEST_F(FleetsTest, AFleetMatchesTheDatabaseEvenWhereWritesOfABatchFail) {
  for (const char* name : {"a", "b", "c", "d"}) machines_.push_back(add_machine(name, 8));
  std::atomic<int> failed = 0;
  for (unsigned round = 0; round < 4; ++round) {
    std::promise<void> gathered;
    std::shared_future<void> all_queued = gathered.get_future().share();
    store_->write([=](store::Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
    for (unsigned i = 0; i < 300; ++i) {
      store_->write(
          [this, seed = 1 + 300 * round + i](store::Tx& tx) {
            Call call{tx, caller_, now_, now_, &locals_};
            work(call, std::minstd_rand(seed));
          },
          [&](std::exception_ptr error) { failed += error ? 1 : 0; });
    }
    gathered.set_value();
    store_->write_now([](store::Tx&) {});
    expect_as_in_database();
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 200);
}

}  // namespace
}  // namespace services::ecs
