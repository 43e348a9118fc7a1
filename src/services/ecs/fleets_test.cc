// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/fleets.h"

#include <future>

#include "services/ecs/machines_fixture.h"
#include "services/ecs/task.h"

namespace services::ecs {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class FleetsTest : public MachinesTest {
 protected:
  // Both are in one batch: the second runs before the first is committed.
  template <class First, class Second>
  void together(First first, Second second) {
    std::promise<void> gathered, first_done, second_done;
    auto start = gathered.get_future().share();
    store_->write([start](store::Tx&) { start.wait(); }, [](std::exception_ptr) {});
    store_->write([&](store::Tx& tx) { in_call(tx, first); }, [&](std::exception_ptr) { first_done.set_value(); });
    store_->write([&](store::Tx& tx) { in_call(tx, second); }, [&](std::exception_ptr) { second_done.set_value(); });
    gathered.set_value();
    first_done.get_future().wait();
    second_done.get_future().wait();
  }

  template <class Use>
  void in_call(store::Tx& tx, Use& use) {
    Call call{tx, caller_, now_, now_, &locals_};
    use(call);
  }

  auto running_one(RunTaskResponse& out) {
    return [&out](Call& call) { out = run_task(call, from_json<RunTaskRequest>(R"({"taskDefinition":"one"})")); };
  }
};

TEST_F(FleetsTest, NothingIsPlacedOnAMachineThatWasDeregisteredInTheSameBatch) {
  const std::string id = add_machine("a", 1);
  RunTaskResponse response;
  together(
      [&](Call& call) {
        deregister_container_instance(
            call, from_json<DeregisterContainerInstanceRequest>(R"({"containerInstance":")" + id + "\"}"));
      },
      running_one(response));
  EXPECT_FALSE(response.tasks);
  with_call([&](Call& call) { EXPECT_THAT(load_tasks_on(call.tx, id), IsEmpty()); });
}

TEST_F(FleetsTest, NothingIsPlacedOnAMachineThatDrainsSinceTheSameBatch) {
  const std::string id = add_machine("a", 1);
  RunTaskResponse response;
  together(
      [&](Call& call) {
        update_container_instances_state(call, from_json<UpdateContainerInstancesStateRequest>(
                                                   R"({"status":"DRAINING","containerInstances":[")" + id + "\"]}"));
      },
      running_one(response));
  EXPECT_FALSE(response.tasks);
}

TEST_F(FleetsTest, AChangeThatFailsLeavesTheMachineAsItWas) {
  const std::string id = add_machine("a", 1);
  RunTaskResponse response;
  together(
      [&](Call& call) {
        set_connected(call, id, false);
        deregister_container_instance(
            call, from_json<DeregisterContainerInstanceRequest>(R"({"containerInstance":")" + id + "\"}"));
        throw std::runtime_error("the disk is full");
      },
      running_one(response));
  EXPECT_THAT(*response.tasks, SizeIs(1));
}

TEST_F(FleetsTest, AMachineThatDidNotGetInIsNotThere) {
  auto joining = [&](Call& call) {
    register_container_instance(call, RegisterContainerInstanceRequest());
    throw std::runtime_error("the disk is full");
  };
  EXPECT_THROW(with_call(joining), std::runtime_error);
  EXPECT_TRUE(fleets_.with(1, [](scheduler::Fleet& fleet) { return fleet.machines().empty(); }));
}

TEST_F(FleetsTest, MachinesAreListedInPagesWhateverTheyAreFilteredBy) {
  for (int i = 0; i < 230; ++i) add_machine("m" + std::to_string(i), 0);
  const std::string last = add_machine("last", 0);
  run_json(&update_container_instances_state, R"({"status":"DRAINING","containerInstances":[")" + last + "\"]}");
  std::set<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    auto page = run_json(&list_container_instances,
                         token.empty() ? std::string("{}") : R"({"nextToken":")" + token + "\"}");
    seen.insert(page.containerInstanceArns->begin(), page.containerInstanceArns->end());
    token = page.nextToken.value_or("");
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(seen, SizeIs(231));
  const auto draining = run_json(&list_container_instances, R"({"status":"DRAINING"})");
  EXPECT_THAT(*draining.containerInstanceArns, SizeIs(1));
  EXPECT_FALSE(draining.nextToken);
}

}  // namespace
}  // namespace services::ecs
