// SPDX-License-Identifier: Apache-2.0
// Folders of earlier versions, opened by this one.
#include "services/ecs/schema.h"

#include "services/options.h"
#include "services/ecs/tasks/sweep.h"
#include "services/ecs/ecs_fixture.h"
#include "services/ecs/tasks/task_row.h"
#include "store/test_database.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kOldLive[] = "0123456789abcdef0123456789abcdef", kOldStopped[] = "fedcba9876543210fedcba9876543210",
               kOldStopping[] = "00112233445566778899aabbccddeeff";
constexpr char kMachine[] = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb";

// A cluster with a machine, three tasks of two launches, and a launch that is kept for its token alone.
constexpr const char* kRowsOfVersion3[] = {
    "INSERT INTO ecs_clusters VALUES (1, '111111111111', 'us-east-1', 'default', 'ACTIVE', '{}', 1800000000000)",
    R"(INSERT INTO ecs_task_definitions VALUES (1, '111111111111', 'us-east-1', 'f', 1, 'ACTIVE',
       '{"containerDefinitions":[{"name":"c","image":"busybox","memory":16}]}', '{"tags":[]}', 1800000000000, NULL, NULL))",
    R"(INSERT INTO ecs_instances VALUES ('aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb', 1, 'box-a', 'ACTIVE', 1, 1800000000000, 3,
       NULL, '{"registeredResources":[{"name":"GPU","type":"STRINGSET","stringSetValue":["GPU-1","GPU-2"]}]}',
       '{"gpus":[]}', 1800000000000, NULL))",
    R"(INSERT INTO ecs_launches VALUES (7, 1, 1, 'family:f', NULL, NULL, '', '{"tags":[],"enableExecuteCommand":false}',
       1800000001000), (8, 1, 1, 'family:f', 'me', 'token', '', '{"tags":[],"enableExecuteCommand":false}', 1800000002000),
       (9, 1, 1, 'family:f', NULL, 'nothing came of it', '', '{"tags":[],"enableExecuteCommand":false}', 1800000002000))",
    R"(INSERT INTO ecs_tasks (id, task, cluster, launch, instance, known, desired, version, delivered, holds, report,
       credentials, created_at, started_at, stopping_at, stopped_at, stop_code, stopped_reason) VALUES
       (21, 'fedcba9876543210fedcba9876543210', 1, 7, 'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb', 'STOPPED', 'STOPPED', 4, 1,
        '{"cpu":1,"memory":16,"gpus":[{"gpu":"GPU-2","container":"c","shared_mib":0}]}', NULL, NULL, 1800000001000,
        NULL, 1800000003000, 1800000003000, 'TaskFailedToStart', 'no luck'),
       (23, '0123456789abcdef0123456789abcdef', 1, 7, 'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb', 'RUNNING', 'RUNNING', 3, 1,
        '{"cpu":2,"memory":16,"gpus":[{"gpu":"GPU-1","container":"c","shared_mib":0}]}',
        '{"containers":[{"containerName":"c","status":"RUNNING"}],"health":{}}', NULL, 1800000001000, 1800000002000,
        NULL, NULL, NULL, NULL),
       (24, '00112233445566778899aabbccddeeff', 1, 8, 'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb', 'PENDING', 'STOPPED', 2, 0,
        '{"cpu":3,"memory":16}', NULL, NULL, 1800000002000, NULL, 1800000004000, NULL, 'UserInitiated', 'enough'))",
};

enum class Engine { Sqlite, Postgres };

class Schema : public EcsTest, public testing::WithParamInterface<Engine> {
 protected:
  Schema() {
    if (GetParam() == Engine::Sqlite) database_ = std::make_unique<store::SqliteTestDatabase>();
    if (GetParam() == Engine::Postgres) database_ = std::make_unique<store::PostgresTestDatabase>();
    auto old = migrations();
    old.steps.resize(3);
    store_ = database_->open({state::key_migrations(), old});
    store_->write_now([](store::Tx& tx) {
      for (const char* row : kRowsOfVersion3) tx.exec(row);
    });
    store_.reset();
    store_ = database_->open({state::key_migrations(), migrations()});
    store_->write_now([&](store::Tx& tx) { fleets_.load(tx); });
  }
  ~Schema() override { store_.reset(); }

  Task describe(const std::string& id) {
    auto response = run_json(&describe_tasks, R"({"tasks":[")" + id + "\"]}");
    return response.tasks->at(0);
  }
  std::vector<std::string> list(const std::string& desired) {
    std::vector<std::string> ids;
    const auto response = run_json(&list_tasks, R"({"desiredStatus":")" + desired + "\"}");
    for (const std::string& arn : *response.taskArns) {
      ids.push_back(arn.substr(arn.rfind('/') + 1));
    }
    return ids;
  }

  std::unique_ptr<store::TestDatabase> database_;
};

INSTANTIATE_TEST_SUITE_P(OfBothEngines, Schema, testing::Values(Engine::Sqlite, Engine::Postgres),
                         [](const auto& info) { return info.param == Engine::Sqlite ? "Sqlite" : "Postgres"; });

TEST_P(Schema, ATaskOfVersion3IsWhatItWas) {
  const Task live = describe(kOldLive);
  EXPECT_TRUE(live.taskArn->ends_with(kOldLive));
  EXPECT_TRUE(live.containerInstanceArn->ends_with(kMachine));
  EXPECT_EQ(*live.lastStatus, "RUNNING");
  EXPECT_EQ(*live.desiredStatus, "RUNNING");
  EXPECT_EQ(*live.version, 3);
  EXPECT_EQ(*live.cpu, "2");
  EXPECT_EQ(*live.createdAt, base::from_seconds(1800000001));
  EXPECT_EQ(*live.startedAt, base::from_seconds(1800000002));
  EXPECT_EQ(*live.containers->at(0).lastStatus, "RUNNING");
  EXPECT_THAT(*live.containers->at(0).gpuIds, ElementsAre("GPU-1"));
  const Task stopping = describe(kOldStopping);
  EXPECT_EQ(*stopping.lastStatus, "PENDING");
  EXPECT_EQ(*stopping.desiredStatus, "STOPPED");
  EXPECT_EQ(*stopping.startedBy, "me");
  EXPECT_EQ(*stopping.stoppedReason, "enough");
  const Task stopped = describe(kOldStopped);
  EXPECT_EQ(*stopped.lastStatus, "STOPPED");
  EXPECT_EQ(*stopped.stoppedReason, "no luck");
  EXPECT_EQ(*stopped.stoppedAt, base::from_seconds(1800000003));
  EXPECT_THAT(*stopped.containers->at(0).gpuIds, ElementsAre("GPU-2"));
}

TEST_P(Schema, ATaskOfVersion3IsListedAndEndsLikeAnyOther) {
  EXPECT_THAT(list("RUNNING"), ElementsAre(kOldLive));
  EXPECT_THAT(list("STOPPED"), ElementsAre(kOldStopped, kOldStopping));
  run_json(&submit_task_state_change, std::string(R"({"status":"STOPPED","task":")") + kOldLive + "\"}");
  EXPECT_THAT(list("RUNNING"), IsEmpty());
  EXPECT_THAT(list("STOPPED"), SizeIs(3));
  const Task ended = describe(kOldLive);
  EXPECT_EQ(*ended.lastStatus, "STOPPED");
  EXPECT_EQ(*ended.version, 4);
  EXPECT_THAT(*ended.containers->at(0).gpuIds, ElementsAre("GPU-1"));
}

TEST_P(Schema, TheTasksOfALaunchOfVersion3AreStillTogether) {
  store_->read_now([](store::Tx& tx) {
    const auto tasks = load_tasks_of_launch(tx, 7);
    ASSERT_THAT(tasks, SizeIs(2));
    EXPECT_EQ(tasks[0].id, kOldStopped);
    EXPECT_EQ(tasks[1].id, kOldLive);
  });
}

TEST_P(Schema, WhatLiveTasksOfVersion3HoldIsHeld) {
  fleets_.with(1, [](scheduler::Fleet& fleet) {
    const scheduler::Machine* machine = fleet.find(model::InstanceId(kMachine));
    ASSERT_TRUE(machine);
    EXPECT_THAT(machine->tasks(), SizeIs(2));
    EXPECT_EQ(machine->idle_gpus(), 1);
  });
}

TEST_P(Schema, OfVersion3NothingIsLeftOverForEver) {
  run_json(&deregister_container_instance, std::string(R"({"force":true,"containerInstance":")") + kMachine + "\"}");
  now_ += std::chrono::hours(25);
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &locals_};
    sweep_tasks(call, Options().lost_after);
  });
  for (const char* table : {"ecs_tasks", "ecs_stopped_tasks", "ecs_holds", "ecs_launches", "ecs_instances"}) {
    EXPECT_EQ(database_->value(std::string("SELECT count(*) FROM ") + table), "0") << table;
  }
}

TEST_P(Schema, ATaskOfVersion3HasNoSecondName) {
  store_->read_now([](store::Tx& tx) {
    const auto task = load_task(tx, kOldLive);
    ASSERT_TRUE(task);
    EXPECT_FALSE(load_task(tx, to_text(task->name)));
  });
}

}  // namespace
}  // namespace services::ecs
