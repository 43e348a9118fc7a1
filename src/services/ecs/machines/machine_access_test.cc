// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/machine_access.h"

#include <gmock/gmock.h>

#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::HasSubstr;

class MachineAccessTest : public MachinesTest {
 protected:
  // Acts as a new machine from now on.
  state::Key become_machine(const std::optional<std::string>& cluster = {}, const std::optional<std::string>& name = {}) {
    state::Key key = state::new_machine_key(caller_.account, now_);
    key.cluster = cluster;
    key.machine = name;
    store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
    become(key);
    return key;
  }
  void become(const state::Key& key) {
    caller_.access_key = key.id;
    caller_.machine = true;
  }
  void become_account() {
    caller_.access_key = root_;
    caller_.machine = false;
  }
  std::string register_again(const std::string& id) {
    return error_of(&register_container_instance, R"({"containerInstanceArn":")" + id + R"("})");
  }
  std::string open_session(const std::string& id) {
    try {
      with_call([&](Call& call) { admit(call, "default", id); });
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }
  void disconnect(const std::string& id) {
    with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });
  }
  std::optional<state::Key> find(const state::Key& key) {
    std::optional<state::Key> found;
    store_->read_now([&](store::Tx& tx) { found = state::find_key(tx, key.id); });
    return found;
  }

  const std::string root_ = caller_.access_key;
};

TEST_F(MachineAccessTest, OnlyTheKeyThatRegisteredAnInstanceActsForIt) {
  const state::Key first = become_machine();
  const std::string box = add_machine("box", 1);
  EXPECT_EQ(open_session(box), "");
  EXPECT_EQ(register_again(box), "");
  become_account();
  EXPECT_EQ(open_session(box), "AccessDeniedException");
  EXPECT_THAT(register_again(box), HasSubstr("AccessDeniedException: The container instance belongs to a machine"));
  EXPECT_THAT(error_of(&discover_poll_endpoint, R"({"containerInstance":")" + box + "\"}"), HasSubstr("AccessDenied"));
  become_machine();
  EXPECT_EQ(open_session(box), "AccessDeniedException");
  EXPECT_THAT(register_again(box), HasSubstr("AccessDeniedException"));
}

TEST_F(MachineAccessTest, AMachineDoesNotActForInstancesOfOrdinaryKeys) {
  const std::string box = add_machine("box", 1);
  become_machine();
  EXPECT_EQ(open_session(box), "AccessDeniedException");
  EXPECT_THAT(register_again(box), HasSubstr("only for its own container instance"));
  become_account();
  EXPECT_EQ(open_session(box), "");
}

TEST_F(MachineAccessTest, OnlyTheMachineOfATaskReportsIt) {
  const state::Key first = become_machine();
  add_machine("box", 1);
  become_account();
  const Task task = run_family("one").tasks->at(0);
  const std::string change = R"({"task":")" + *task.taskArn + R"(","containerName":"c","status":"STOPPED"})";
  EXPECT_THAT(error_of(&submit_task_state_change, change), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(error_of(&submit_container_state_change, change), HasSubstr("AccessDeniedException"));
  become_machine();
  EXPECT_THAT(error_of(&submit_task_state_change, change), HasSubstr("AccessDeniedException"));
  become(first);
  report(task, "RUNNING");
  become_account();
  EXPECT_EQ(*describe(task).lastStatus, "RUNNING");
}

TEST_F(MachineAccessTest, ADeregisteredMachineHasLostItsKeyAndThoseOfItsTasks) {
  const state::Key key = become_machine();
  const std::string box = add_machine("box", 1);
  const state::Key of_task = state::new_session_key(key, now_, now_ + std::chrono::hours(1));
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, of_task); });
  become_account();
  run_json(&deregister_container_instance, R"({"containerInstance":")" + box + R"(","force":true})");
  EXPECT_THAT(wakes_, Contains(state::key_topic(key.id)));
  EXPECT_THAT(wakes_, Contains(state::key_topic(of_task.id)));
  EXPECT_EQ(find(key)->expires_at, now_);
  EXPECT_FALSE(find(of_task));
  EXPECT_EQ(open_session(box), "InactiveInstanceException") << "the reason, not the key's end";
}

TEST_F(MachineAccessTest, AMachineThatLostItsStateRegistersAgainWithItsKey) {
  const state::Key key = become_machine();
  const std::string before = add_machine("box", 1);
  EXPECT_THAT(error_of(&register_container_instance, "{}"), HasSubstr("which is connected"));
  disconnect(before);
  const std::string after = add_machine("box", 1);
  EXPECT_NE(before, after);
  EXPECT_EQ(*describe_machine(before).status, "INACTIVE");
  EXPECT_EQ(find(key)->expires_at, std::nullopt);
  EXPECT_EQ(open_session(after), "");
}

TEST_F(MachineAccessTest, AKeyThatHasRegisteredStaysWhenItsTimeForThatIsOver) {
  state::Key key = state::new_machine_key(caller_.account, now_);
  key.register_by = now_;
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  become(key);
  add_machine("box", 0);
  store_->write_now([&](store::Tx& tx) { EXPECT_THAT(state::end_unregistered_keys(tx, now_), testing::IsEmpty()); });
  EXPECT_EQ(find(key)->expires_at, std::nullopt);
}

TEST_F(MachineAccessTest, AMachineThatCreatesAClusterCreatesNoOther) {
  become_machine();
  const std::string home = caller_.region;
  EXPECT_EQ(error_of(&create_cluster, "{}"), "") << "the cluster exists";
  caller_.region = "eu-west-1";
  EXPECT_EQ(error_of(&create_cluster, "{}"), "");
  for (const std::string& region : {std::string("us-west-2"), home}) {
    caller_.region = region;
    EXPECT_THAT(error_of(&create_cluster, "{}"), HasSubstr("for the cluster eu-west-1/default only"));
  }
}

TEST_F(MachineAccessTest, AKeyThatHasEndedDoesNotRegister) {
  const state::Key key = become_machine();
  store_->write_now([&](store::Tx& tx) { state::retire_machine_key(tx, key.id, now_); });
  EXPECT_THAT(error_of(&register_container_instance, "{}"), HasSubstr("does not exist any more"));
}

// Two machines may have the same host name.
TEST_F(MachineAccessTest, AMachineDoesNotReplaceAnotherOneThatHasOnlyItsName) {
  const state::Key of_away = become_machine();
  const std::string away = add_machine("box", 0);
  disconnect(away);
  become_machine();
  add_machine("box", 0);
  become_account();
  add_machine("box", 0);
  EXPECT_EQ(*describe_machine(away).status, "ACTIVE");
  EXPECT_EQ(find(of_away)->expires_at, std::nullopt);
}

TEST_F(MachineAccessTest, AKeyForOneNameReplacesTheFormerMachineOfThatName) {
  const state::Key old = become_machine({}, "i-1");
  const std::string before = add_machine("i-1", 0);
  disconnect(before);
  become_machine({}, "i-1");
  add_machine("i-1", 0);
  EXPECT_EQ(*describe_machine(before).status, "INACTIVE");
  EXPECT_EQ(find(old)->expires_at, now_);
}

TEST_F(MachineAccessTest, AMachineWithANewKeyReplacesTheOneThatHadItsGpus) {
  const state::Key old = become_machine();
  const std::string before = add_machine("box", 1);
  disconnect(before);
  become_machine();
  add_machine("box", 1);
  EXPECT_EQ(*describe_machine(before).status, "INACTIVE");
  EXPECT_EQ(find(old)->expires_at, now_);
}

TEST_F(MachineAccessTest, ARegisteredMachineDoesNotTakeGpusOfOthers) {
  become_machine();
  const std::string away = add_machine("away", 1);
  disconnect(away);
  become_machine();
  const std::string box = add_machine("box", 1);
  const std::string more = R"(,"platformDevices":[{"id":"GPU-away0","type":"GPU"}])";
  EXPECT_THAT(error_of(&register_container_instance, R"({"containerInstanceArn":")" + box + "\"" + more + "}"),
              HasSubstr("GPU-away0 is already registered"));
  EXPECT_EQ(*describe_machine(away).status, "ACTIVE");
  // Also without the ARN, as if its agent had lost its state.
  disconnect(box);
  EXPECT_THAT(error_of(&register_container_instance, "{" + more.substr(1) + "}"), HasSubstr("GPU-away0 is already registered"));
  EXPECT_EQ(*describe_machine(away).status, "ACTIVE");
}

TEST_F(MachineAccessTest, ARegisteredMachineDoesNotReplaceOthersOfANewName) {
  const state::Key of_away = become_machine();
  const std::string away = add_machine("away", 1);
  disconnect(away);
  become_machine();
  const std::string box = add_machine("box", 1);
  disconnect(box);
  EXPECT_EQ(error_of(&register_container_instance, R"({"instanceIdentityDocument":"{\"instanceId\":\"away\"}"})"), "");
  EXPECT_EQ(*describe_machine(away).status, "ACTIVE");
  EXPECT_EQ(find(of_away)->expires_at, std::nullopt);
  EXPECT_EQ(*describe_machine(box).status, "INACTIVE");
}

TEST_F(MachineAccessTest, AKeyMayBeForOneClusterAndForOneName) {
  become_machine("us-east-1/blue");
  EXPECT_THAT(error_of(&register_container_instance, "{}"), HasSubstr("for the cluster us-east-1/blue only"));
  become_machine("us-east-1/default", "i-1");
  EXPECT_THAT(error_of(&register_container_instance, R"({"instanceIdentityDocument":"{\"instanceId\":\"i-2\"}"})"),
              HasSubstr("for the machine i-1 only"));
  add_machine("i-1", 0);
}

TEST_F(MachineAccessTest, AMachineCreatesTheDefaultClusterAndNothingElse) {
  become_machine();
  EXPECT_EQ(error_of(&create_cluster, R"({"clusterName":"default"})"), "");
  EXPECT_EQ(error_of(&create_cluster, "{}"), "");
  EXPECT_THAT(error_of(&create_cluster, R"({"clusterName":"mine"})"), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(error_of(&create_cluster, R"({"tags":[{"key":"a","value":"b"}]})"), HasSubstr("AccessDeniedException"));
  become_machine("us-east-1/blue");
  EXPECT_THAT(error_of(&create_cluster, "{}"), HasSubstr("AccessDeniedException"));
}

}  // namespace
}  // namespace services::ecs
