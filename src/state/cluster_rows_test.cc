// SPDX-License-Identifier: Apache-2.0
// Rows of clusters, machines, task definitions, launches and tasks, on both engines.
#include <gmock/gmock.h>

#include "state/cluster.h"
#include "state/definition.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/task.h"
#include "store/test_database.h"

namespace state {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

enum class Engine { Sqlite, Postgres };

constexpr base::Time kNow = base::from_seconds(1800000000);

class ClusterRows : public testing::TestWithParam<Engine> {
 protected:
  ClusterRows() {
    if (GetParam() == Engine::Sqlite) database_ = std::make_unique<store::SqliteTestDatabase>();
    if (GetParam() == Engine::Postgres) database_ = std::make_unique<store::PostgresTestDatabase>();
    store_ = database_->open({cluster_migrations()});
    write([&](store::Tx& tx) {
      cluster_ = insert_cluster(tx, {{}, "1", "r", "c"}, "{}", kNow);
      Definition definition{.family = "f", .revision = 1, .status = "ACTIVE", .registered_at = kNow};
      insert_definition(tx, {"1", "r", "f"}, definition);
      definition_ = find_definition(tx, {"1", "r", "f"})->number;
      machine_.id = model::InstanceId("m");
      machine_.cluster = cluster_;
      machine_.name = "box";
      machine_.registered_at = machine_.connected_at = kNow;
      insert_machine(tx, machine_);
    });
  }
  ~ClusterRows() override { store_.reset(); }

  void write(const std::function<void(store::Tx&)>& use) { store_->write_now(use); }

  std::vector<Task> launch(store::Tx& tx, int count, std::optional<std::string> token = {}) {
    const LaunchNumber number = insert_launch(tx, {.cluster = cluster_,
                                                   .definition = definition_,
                                                   .group = "g",
                                                   .client_token = std::move(token),
                                                   .body_json = "{}",
                                                   .created_at = kNow});
    std::vector<Task> tasks;
    for (int place = 0; place < count; ++place) {
      Task task;
      task.name = new_task_name(number, place);
      task.id = model::TaskId(to_text(task.name));
      task.cluster = cluster_;
      task.machine_number = machine_.number;
      task.hold.cpu = place + 1;
      tasks.push_back(task);
    }
    insert_tasks(tx, tasks);
    return tasks;
  }
  static void stop(store::Tx& tx, TaskState task, base::Time when) {
    task.known = model::TaskStatus::Stopped;
    task.desired = model::DesiredStatus::Stopped;
    task.stopping_at = task.stopped_at = when;
    move_to_stopped(tx, task);
  }

  std::unique_ptr<store::TestDatabase> database_;
  std::unique_ptr<store::Store> store_;
  ClusterNumber cluster_{};
  DefinitionNumber definition_{};
  Machine machine_;
};

TEST_P(ClusterRows, AWaitingTaskHasNoMachineUntilItIsPlaced) {
  write([&](store::Tx& tx) {
    auto tasks = launch(tx, 1);
    const LaunchNumber number = insert_launch(
        tx, {.cluster = cluster_, .definition = definition_, .group = "g", .body_json = "{}", .created_at = kNow});
    tasks.clear();
    for (int place = 0; place < 2; ++place) {
      Task task;
      task.name = new_task_name(number, place);
      task.id = model::TaskId(to_text(task.name));
      task.cluster = cluster_;
      task.known = model::TaskStatus::Provisioning;
      task.provider = "p";
      tasks.push_back(task);
    }
    insert_tasks(tx, tasks);
    EXPECT_EQ(count_waiting(tx, cluster_), 2);
    EXPECT_EQ(count_contents(tx, cluster_).pending_tasks, 3);
    auto waiting = list_waiting(tx, cluster_);
    ASSERT_THAT(waiting, SizeIs(2));
    EXPECT_EQ(waiting[0].machine.str(), "");
    EXPECT_EQ(waiting[0].provider, "p");
    waiting[1].machine_number = machine_.number;
    waiting[1].hold.gpus = {{model::GpuId("GPU-1"), "main", 0}};
    place_waiting(tx, waiting[1]);
    const auto placed = find_task(tx, waiting[1].id);
    EXPECT_EQ(placed->machine.str(), "m");
    EXPECT_EQ(placed->known, model::TaskStatus::Pending);
    EXPECT_THAT(placed->hold.gpus, SizeIs(1));
    EXPECT_EQ(count_waiting(tx, cluster_), 1);
    EXPECT_TRUE(has_tasks_of_provider(tx, cluster_, "p"));
    EXPECT_FALSE(has_tasks_of_provider(tx, cluster_, "q"));
    stop(tx, waiting[0], kNow);
    EXPECT_EQ(find_task(tx, waiting[0].id)->provider, "p");
  });
}

INSTANTIATE_TEST_SUITE_P(OfBothEngines, ClusterRows, testing::Values(Engine::Sqlite, Engine::Postgres),
                         [](const auto& info) { return info.param == Engine::Sqlite ? "Sqlite" : "Postgres"; });

TEST_P(ClusterRows, AClusterIsFoundByNameAndByNumber) {
  write([&](store::Tx& tx) {
    EXPECT_EQ(find_cluster(tx, {"1", "r", "c"})->number, cluster_);
    EXPECT_EQ(find_cluster(tx, cluster_)->name, "c");
    EXPECT_FALSE(find_cluster(tx, {"2", "r", "c"}));
    Cluster cluster = *find_cluster(tx, cluster_);
    cluster.active = false;
    update_cluster(tx, cluster, "new");
    EXPECT_FALSE(find_cluster(tx, cluster_)->active);
    EXPECT_EQ(cluster_body(tx, cluster_), "new");
    EXPECT_THAT(list_clusters(tx, {"1", "r", ""}, 10), IsEmpty());
  });
}

TEST_P(ClusterRows, ContentsCountMachinesAndTasks) {
  write([&](store::Tx& tx) {
    auto tasks = launch(tx, 3);
    tasks[0].known = model::TaskStatus::Running;
    update_task(tx, tasks[0]);
    stop(tx, tasks[1], kNow);
    const ClusterContents contents = count_contents(tx, cluster_);
    EXPECT_EQ(contents.instances, 1);
    EXPECT_EQ(contents.tasks, 2);
    EXPECT_EQ(contents.running_tasks, 1);
    EXPECT_EQ(contents.pending_tasks, 1);
    EXPECT_THAT(count_tasks(tx), ElementsAre(std::pair(model::TaskStatus::Pending, 1),
                                             std::pair(model::TaskStatus::Running, 1)));
  });
}

TEST_P(ClusterRows, AnUpdatedMachineHasTheNextVersion) {
  write([&](store::Tx& tx) {
    machine_.connected = true;
    machine_.gpus_json = "gpus";
    update_machine(tx, machine_);
    const auto read = find_machine(tx, machine_.id);
    EXPECT_EQ(read->version, 2);
    EXPECT_EQ(read->number, machine_.number);
    EXPECT_TRUE(read->connected);
    EXPECT_EQ(read->gpus_json, "gpus");
  });
}

TEST_P(ClusterRows, AMachineIsLostOnlyWhileItIsAwayAndHasTasks) {
  write([&](store::Tx& tx) {
    EXPECT_THAT(list_lost(tx, kNow, 10), IsEmpty());
    EXPECT_FALSE(first_disconnected(tx));
    launch(tx, 1);
    EXPECT_THAT(list_lost(tx, kNow, 10), SizeIs(1));
    EXPECT_THAT(list_lost(tx, kNow - hours(1), 10), IsEmpty());
    EXPECT_EQ(first_disconnected(tx), kNow);
  });
}

TEST_P(ClusterRows, AGpuHasOneOwner) {
  write([&](store::Tx& tx) {
    insert_gpu(tx, "111111111111", "GPU-1", machine_.id);
    EXPECT_EQ(gpu_owner(tx, "111111111111", "GPU-1"), machine_.id);
    EXPECT_FALSE(gpu_owner(tx, "222222222222", "GPU-1"));
    delete_gpus(tx, machine_.id);
    EXPECT_FALSE(gpu_owner(tx, "111111111111", "GPU-1"));
  });
}

TEST_P(ClusterRows, ATaskIsFoundByItsIdBeforeAndAfterItStopped) {
  write([&](store::Tx& tx) {
    const auto tasks = launch(tx, 2);
    auto live = find_task(tx, tasks[1].id);
    ASSERT_TRUE(live);
    EXPECT_EQ(live->machine, machine_.id);
    EXPECT_EQ(live->hold.cpu, 2);
    EXPECT_EQ(live->created_at, kNow);
    live->report_json = "report";
    stop(tx, *live, kNow + hours(1));
    const auto stopped = find_task(tx, tasks[1].id);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->known, model::TaskStatus::Stopped);
    EXPECT_EQ(stopped->desired, model::DesiredStatus::Stopped);
    EXPECT_EQ(stopped->stopped_at, kNow + hours(1));
    EXPECT_EQ(stopped->report_json, "report");
    EXPECT_EQ(stopped->version, 2);
    EXPECT_EQ(stopped->hold.cpu, 2);
    EXPECT_FALSE(find_task(tx, model::TaskId("0123456789abcdef0123456789abcdef")));
    EXPECT_FALSE(find_task(tx, model::TaskId("no id")));
    EXPECT_THAT(list_tasks_of_launch(tx, tasks[0].launch()), SizeIs(2));
    EXPECT_THAT(list_tasks_on(tx, machine_.id), SizeIs(1));
  });
}

TEST_P(ClusterRows, OnlyUndeliveredAndStoppingTasksHaveToBeSent) {
  write([&](store::Tx& tx) {
    auto tasks = launch(tx, 3);
    set_delivered(tx, tasks[0].name);
    set_delivered(tx, tasks[1].name);
    auto stopping = *find_task(tx, tasks[1].id);
    stopping.desired = model::DesiredStatus::Stopped;
    stopping.stopping_at = kNow;
    update_task(tx, stopping);
    std::vector<model::TaskId> ids;
    for (const Task& task : list_undelivered(tx, machine_.id)) ids.push_back(task.id);
    EXPECT_THAT(ids, ElementsAre(tasks[1].id, tasks[2].id));
    EXPECT_THAT(list_task_names(tx, {.cluster = cluster_, .most = 10}), SizeIs(2));
    EXPECT_THAT(list_task_names(tx, {.cluster = cluster_, .kind = TaskFilter::Kind::Stopping, .most = 10}),
                ElementsAre(tasks[1].name));
    EXPECT_THAT(list_task_names(tx, {.cluster = cluster_, .family = "other", .most = 10}), IsEmpty());
  });
}

TEST_P(ClusterRows, HoldsHaveTheGroupAndTheStatusOfTheirTasks) {
  write([&](store::Tx& tx) {
    auto tasks = launch(tx, 1);
    tasks[0].known = model::TaskStatus::Running;
    update_task(tx, tasks[0]);
    const auto holds = list_holds(tx, machine_.id);
    ASSERT_THAT(holds, SizeIs(1));
    EXPECT_EQ(holds[0].task, tasks[0].id);
    EXPECT_EQ(holds[0].group, "g");
    EXPECT_TRUE(holds[0].running);
    EXPECT_FALSE(holds[0].stopping);
  });
}

TEST_P(ClusterRows, ALaunchIsDeletedWithItsLastTaskAndItsToken) {
  write([&](store::Tx& tx) {
    const auto tasks = launch(tx, 1, "token");
    const LaunchNumber number = tasks[0].launch();
    EXPECT_EQ(find_launch(tx, cluster_, "token")->number, number);
    stop(tx, tasks[0], kNow);
    EXPECT_EQ(first_stopped(tx), kNow);
    EXPECT_THAT(delete_stopped(tx, {kNow, kNow + hours(1), 10}), ElementsAre(number));
    delete_unused_launches(tx, {number});
    EXPECT_TRUE(find_launch(tx, number));
    EXPECT_EQ(first_client_token(tx), kNow);
    EXPECT_THAT(end_client_tokens(tx, kNow, 10), ElementsAre(number));
    delete_unused_launches(tx, {number});
    EXPECT_FALSE(find_launch(tx, number));
    EXPECT_FALSE(first_client_token(tx));
  });
  EXPECT_EQ(database_->value("SELECT count(*) FROM ecs_holds"), "0");
}

TEST_P(ClusterRows, AMachineThatLeftIsDeletedAfterItsTasks) {
  write([&](store::Tx& tx) {
    stop(tx, launch(tx, 1)[0], kNow);
    machine_.status = model::InstanceStatus::Inactive;
    machine_.inactive_at = kNow;
    update_machine(tx, machine_);
    EXPECT_THAT(list_departed(tx, cluster_, 10), SizeIs(1));
    delete_departed(tx, kNow);
    EXPECT_TRUE(find_machine(tx, machine_.id));
    delete_stopped(tx, {kNow, kNow + hours(1), 10});
    delete_departed(tx, kNow);
    EXPECT_FALSE(find_machine(tx, machine_.id));
  });
}

TEST_P(ClusterRows, AKeyIsRenewedWhenTheAcknowledgedOneEnds) {
  write([&](store::Tx& tx) {
    auto task = launch(tx, 1)[0];
    set_delivered(tx, task.name);
    task.credentials = "key-1";
    task.credentials_id = "id";
    set_credentials(tx, task, kNow + hours(6));
    EXPECT_THAT(list_ending_credentials(tx, machine_.number, kNow + hours(5)), IsEmpty());
    EXPECT_THAT(list_ending_credentials(tx, machine_.number, kNow + hours(6)), ElementsAre(task.id));
    task.credentials = "key-2";
    set_credentials(tx, task, kNow + hours(12));
    EXPECT_THAT(list_ending_credentials(tx, machine_.number, kNow + hours(6)), SizeIs(1));
    const auto found = find_credentials(tx, machine_.number, "id");
    EXPECT_EQ(found->key, "key-2");
    acknowledge_credentials(tx, found->task_number, kNow + hours(12));
    EXPECT_THAT(list_ending_credentials(tx, machine_.number, kNow + hours(6)), IsEmpty());
  });
}

TEST_P(ClusterRows, ARevisionNumberIsNeverUsedTwice) {
  write([&](store::Tx& tx) {
    const FamilyKey key{"1", "r", "g"};
    EXPECT_EQ(next_revision(tx, key), 1);
    EXPECT_EQ(next_revision(tx, key), 2);
    Definition definition{.family = "g", .revision = 2, .status = "ACTIVE", .registered_at = kNow};
    insert_definition(tx, key, definition);
    definition = *find_definition(tx, key, 2, kNow);
    definition.status = "DELETE_IN_PROGRESS";
    definition.delete_requested_at = kNow;
    update_definition(tx, definition);
    EXPECT_FALSE(find_definition(tx, key));
    EXPECT_TRUE(find_definition(tx, key, 2, kNow));
    EXPECT_FALSE(find_definition(tx, key, 2, kNow + kDeletionTakes));
    delete_old_definitions(tx, kNow + kDeletionTakes);
    EXPECT_FALSE(find_definition(tx, definition.number));
    EXPECT_EQ(next_revision(tx, key), 3);
  });
}

TEST_P(ClusterRows, ADatabaseOfAnEarlierVersionKeepsItsMachinesAndTheirGpus) {
  store_.reset();
  if (GetParam() == Engine::Sqlite) database_ = std::make_unique<store::SqliteTestDatabase>();
  if (GetParam() == Engine::Postgres) database_ = std::make_unique<store::PostgresTestDatabase>();
  store::Migrations before = cluster_migrations();
  before.steps.resize(4);  // GPUs had no account
  store_ = database_->open({before});
  write([](store::Tx& tx) {
    tx.exec(
        "INSERT INTO ecs_clusters (id, account, region, name, status, body, created_at)"
        " VALUES (1, '1', 'r', 'c', 'ACTIVE', '{}', 0)");
    tx.exec(
        "INSERT INTO ecs_instances (id, cluster, machine, status, connected, connected_at, version, body, gpus,"
        " registered_at) VALUES ('m', 1, 'box', 'ACTIVE', 1, 0, 1, '{}', '[]', 0)");
    tx.exec("INSERT INTO ecs_gpus (id, instance) VALUES ('GPU-1', 'm')");
  });
  store_.reset();
  store_ = database_->open({cluster_migrations()});
  write([](store::Tx& tx) {
    const model::InstanceId id("m");
    const auto machine = find_machine(tx, id);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->name, "box");
    EXPECT_TRUE(gpu_owner(tx, "1", "GPU-1") == id);
    EXPECT_FALSE(gpu_owner(tx, "2", "GPU-1"));
    EXPECT_EQ(next_manifest(tx, id, kNow), base::to_millis(kNow));
  });
}

}  // namespace
}  // namespace state
