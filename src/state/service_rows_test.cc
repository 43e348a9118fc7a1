// SPDX-License-Identifier: Apache-2.0
// Rows of services, deployments and events, on both engines.
#include <gmock/gmock.h>

#include "state/cluster.h"
#include "state/definition.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/service.h"
#include "store/test_database.h"

namespace state {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr base::Time kServiceTime = base::from_seconds(1800000000);

class ServiceRows : public testing::TestWithParam<bool> {
 protected:
  ServiceRows() {
    if (GetParam()) database_ = std::make_unique<store::PostgresTestDatabase>();
    if (!GetParam()) database_ = std::make_unique<store::SqliteTestDatabase>();
    store_ = database_->open({cluster_migrations()});
    write([&](store::Tx& tx) {
      cluster_ = insert_cluster(tx, {{}, "1", "r", "c"}, "{}", kServiceTime);
      insert_definition(tx, {"1", "r", "f"},
                        {.family = "f", .revision = 1, .status = "ACTIVE", .registered_at = kServiceTime});
      definition_ = find_definition(tx, {"1", "r", "f"})->number;
      machine_.id = model::InstanceId("m");
      machine_.cluster = cluster_;
      machine_.registered_at = machine_.connected_at = kServiceTime;
      insert_machine(tx, machine_);
    });
  }
  ~ServiceRows() override { store_.reset(); }

  void write(const std::function<void(store::Tx&)>& use) { store_->write_now(use); }

  Service service(store::Tx& tx, const std::string& name, bool daemon = false) {
    Service service{.cluster = cluster_, .name = name, .daemon = daemon, .desired = 2, .body_json = "{}"};
    service.created_at = kServiceTime;
    service.number = insert_service(tx, service);
    return service;
  }
  Deployment deployment(store::Tx& tx, ServiceNumber service, const std::string& id, DeploymentRole role) {
    Deployment deployment{.service = service, .id = id, .definition = definition_, .role = role, .body_json = "{}"};
    deployment.created_at = deployment.updated_at = kServiceTime;
    deployment.number = insert_deployment(tx, deployment);
    return deployment;
  }
  void retire(store::Tx& tx, Service& service, base::Time when) {
    service.status = ServiceStatus::Inactive;
    service.inactive_at = when;
    update_service(tx, service);
  }
  std::vector<Task> start(store::Tx& tx, const Deployment& deployment, int count) {
    const LaunchNumber number = insert_launch(tx, {.cluster = cluster_,
                                                   .definition = definition_,
                                                   .group = "service:s",
                                                   .started_by = "ecs-svc/" + deployment.id,
                                                   .service = deployment.service,
                                                   .deployment = deployment.number,
                                                   .body_json = "{}",
                                                   .created_at = kServiceTime});
    std::vector<Task> tasks;
    for (int place = 0; place < count; ++place) {
      Task task;
      task.name = new_task_name(number, place);
      task.id = model::TaskId(to_text(task.name));
      task.cluster = cluster_;
      task.machine_number = machine_.number;
      tasks.push_back(task);
    }
    insert_tasks(tx, tasks);
    return tasks;
  }

  std::unique_ptr<store::TestDatabase> database_;
  std::unique_ptr<store::Store> store_;
  ClusterNumber cluster_{};
  DefinitionNumber definition_{};
  Machine machine_;
};

INSTANTIATE_TEST_SUITE_P(OfBothEngines, ServiceRows, testing::Bool(),
                         [](const auto& info) { return info.param ? "Postgres" : "Sqlite"; });

TEST_P(ServiceRows, ADatabaseOfTheVersionBeforeHasTasksWithoutServices) {
  store_.reset();
  if (GetParam()) database_ = std::make_unique<store::PostgresTestDatabase>();
  if (!GetParam()) database_ = std::make_unique<store::SqliteTestDatabase>();
  store::Migrations before = cluster_migrations();
  before.steps.resize(2);
  store_ = database_->open({before});
  write([](store::Tx& tx) {
    tx.exec(
        "INSERT INTO ecs_launches (id, cluster, definition, task_group, request_hash, body, created_at)"
        " VALUES (1, 1, 1, 'g', '', '{}', 0)");
    tx.exec(
        "INSERT INTO ecs_tasks (id, secret, cluster, instance, known, version, delivered)"
        " VALUES (16, 7, 1, 1, 3, 1, 1)");
  });
  store_.reset();
  store_ = database_->open({cluster_migrations()});
  write([](store::Tx& tx) {
    EXPECT_FALSE(find_launch(tx, LaunchNumber(1))->service);
    const auto task = find_task_state(tx, model::TaskId(to_text({16, 7})));
    ASSERT_TRUE(task);
    EXPECT_FALSE(task->protected_until);
    EXPECT_THAT(list_living_services(tx), IsEmpty());
  });
}

TEST_P(ServiceRows, AServiceIsFoundByNameAndByNumber) {
  write([&](store::Tx& tx) {
    Service written = service(tx, "web");
    written.desired = 7;
    written.steady = true;
    written.steady_at = kServiceTime + hours(1);
    written.body_json = "body";
    update_service(tx, written);
    const auto read = find_service(tx, cluster_, "web");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->number, written.number);
    EXPECT_EQ(read->desired, 7);
    EXPECT_TRUE(read->steady);
    EXPECT_EQ(read->steady_at, kServiceTime + hours(1));
    EXPECT_EQ(read->version, 2);
    EXPECT_EQ(read->body_json, "body");
    EXPECT_EQ(read->created_at, kServiceTime);
    EXPECT_EQ(find_service(tx, written.number)->name, "web");
    EXPECT_FALSE(find_service(tx, cluster_, "we"));
  });
}

TEST_P(ServiceRows, TheNameOfAnInactiveServiceIsFree) {
  write([&](store::Tx& tx) {
    Service first = service(tx, "web"), second;
    retire(tx, first, kServiceTime);
    EXPECT_EQ(find_service(tx, cluster_, "web")->number, first.number);
    second = service(tx, "web");
    EXPECT_EQ(find_service(tx, cluster_, "web")->number, second.number);
    retire(tx, second, kServiceTime + hours(1));
    EXPECT_EQ(find_service(tx, cluster_, "web")->number, second.number);
    EXPECT_THAT(list_living_services(tx), IsEmpty());
  });
}

TEST_P(ServiceRows, OnlyActiveServicesAreListed) {
  write([&](store::Tx& tx) {
    service(tx, "b");
    service(tx, "a", true);
    Service draining = service(tx, "c"), gone = service(tx, "d");
    draining.status = ServiceStatus::Draining;
    update_service(tx, draining);
    retire(tx, gone, kServiceTime);
    const auto names = [&](ServiceFilter filter) {
      filter.cluster = cluster_;
      filter.most = 10;
      std::vector<std::string> names;
      for (const Service& one : list_services(tx, filter)) names.push_back(one.name);
      return names;
    };
    EXPECT_THAT(names({}), ElementsAre("a", "b"));
    EXPECT_THAT(names({.after = "a"}), ElementsAre("b"));
    EXPECT_THAT(names({.daemon = true}), ElementsAre("a"));
    EXPECT_THAT(names({.daemon = false}), ElementsAre("b"));
    EXPECT_THAT(list_living_services(tx), SizeIs(3));
    const ClusterContents contents = count_contents(tx, cluster_);
    EXPECT_EQ(contents.active_services, 2);
    EXPECT_EQ(contents.draining_services, 1);
  });
}

TEST_P(ServiceRows, AnOldServiceIsDeletedWithAllThatBelongsToIt) {
  write([&](store::Tx& tx) {
    Service gone = service(tx, "web");
    const Service kept = service(tx, "kept");
    for (const Service& one : {gone, kept}) {
      const Deployment target = deployment(tx, one.number, "1", DeploymentRole::Primary);
      insert_service_deployment(tx, {.service = one.number, .id = "x", .target = target.number});
      insert_service_event(tx, one.number, {"id", kServiceTime, "text"});
    }
    EXPECT_FALSE(first_inactive_service(tx));
    retire(tx, gone, kServiceTime);
    EXPECT_EQ(first_inactive_service(tx), kServiceTime);
    delete_old_services(tx, kServiceTime - hours(1));
    EXPECT_TRUE(find_service(tx, gone.number));
    delete_old_services(tx, kServiceTime);
    EXPECT_FALSE(find_service(tx, gone.number));
    EXPECT_THAT(list_deployments(tx, kept.number), SizeIs(1));
  });
  for (const char* table : {"ecs_services", "ecs_deployments", "ecs_service_deployments", "ecs_service_events"}) {
    EXPECT_EQ(database_->value(std::string("SELECT count(*) FROM ") + table), "1") << table;
  }
}

TEST_P(ServiceRows, DeploymentsAreListedFromThePrimaryToTheOldest) {
  write([&](store::Tx& tx) {
    const ServiceNumber number = service(tx, "web").number;
    deployment(tx, number, "1", DeploymentRole::Inactive);
    deployment(tx, number, "2", DeploymentRole::Primary);  // rolled back to
    deployment(tx, number, "3", DeploymentRole::Active);
    deployment(tx, number, "4", DeploymentRole::Active);
    std::vector<std::string> ids;
    for (const Deployment& one : list_deployments(tx, number)) ids.push_back(one.id);
    EXPECT_THAT(ids, ElementsAre("2", "4", "3"));
    EXPECT_EQ(find_deployment(tx, number, "1")->role, DeploymentRole::Inactive);
    EXPECT_FALSE(find_deployment(tx, number, "5"));
  });
}

TEST_P(ServiceRows, AChangedDeploymentIsReadAsItWasWritten) {
  write([&](store::Tx& tx) {
    Deployment one = deployment(tx, service(tx, "web").number, "1", DeploymentRole::Primary);
    one.rollout = Rollout::Failed;
    one.rollout_reason = "reason";
    one.failed_tasks = 3;
    one.last_failure = kServiceTime + hours(1);
    one.body_json = "body";
    one.updated_at = kServiceTime + hours(2);
    update_deployment(tx, one);
    const auto read = find_deployment(tx, one.number);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->definition, definition_);
    EXPECT_EQ(read->rollout, Rollout::Failed);
    EXPECT_EQ(read->rollout_reason, "reason");
    EXPECT_EQ(read->failed_tasks, 3);
    EXPECT_EQ(read->last_failure, kServiceTime + hours(1));
    EXPECT_EQ(read->body_json, "body");
    EXPECT_EQ(read->created_at, kServiceTime);
    EXPECT_EQ(read->updated_at, kServiceTime + hours(2));
    EXPECT_FALSE(read->completed_at);
  });
}

TEST_P(ServiceRows, ARollbackReturnsToTheLatestCompletedDeployment) {
  write([&](store::Tx& tx) {
    const ServiceNumber number = service(tx, "web").number;
    Deployment first = deployment(tx, number, "1", DeploymentRole::Inactive);
    Deployment second = deployment(tx, number, "2", DeploymentRole::Inactive);
    const Deployment third = deployment(tx, number, "3", DeploymentRole::Primary);
    EXPECT_FALSE(find_last_completed(tx, number, third.number));
    second.completed_at = kServiceTime;
    second.rollout = Rollout::Completed;
    update_deployment(tx, second);
    first.completed_at = kServiceTime + hours(1);  // rolled back to, after the second
    first.rollout = Rollout::Completed;
    update_deployment(tx, first);
    EXPECT_EQ(find_last_completed(tx, number, third.number)->id, "1");
    EXPECT_EQ(find_last_completed(tx, number, first.number)->id, "2");
    first.rollout = Rollout::Failed;  // another rollback to it did not succeed
    update_deployment(tx, first);
    EXPECT_EQ(find_last_completed(tx, number, third.number)->id, "2");
  });
}

TEST_P(ServiceRows, ServiceDeploymentsAreListedFromTheNewest) {
  write([&](store::Tx& tx) {
    const ServiceNumber number = service(tx, "web").number;
    const Deployment target = deployment(tx, number, "1", DeploymentRole::Primary);
    ServiceDeployment change{.service = number, .id = "a", .status = "PENDING", .target = target.number};
    change.created_at = change.updated_at = kServiceTime;
    change.number = insert_service_deployment(tx, change);
    change.status = "SUCCESSFUL";
    change.body_json = "body";
    change.started_at = change.finished_at = kServiceTime + hours(1);
    update_service_deployment(tx, change);
    ServiceDeployment later = change;
    later.id = "b";
    later.number = insert_service_deployment(tx, later);
    const auto read = find_service_deployment(tx, number, "a");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->status, "SUCCESSFUL");
    EXPECT_EQ(read->body_json, "body");
    EXPECT_EQ(read->finished_at, kServiceTime + hours(1));
    EXPECT_FALSE(read->stopped_at);
    EXPECT_EQ(find_service_deployment_of(tx, target.number)->id, "b");
    EXPECT_THAT(list_service_deployments(tx, number, 0, 10), SizeIs(2));
    const auto rest = list_service_deployments(tx, number, later.number, 10);
    ASSERT_THAT(rest, SizeIs(1));
    EXPECT_EQ(rest[0].id, "a");
  });
}

TEST_P(ServiceRows, OldHistoryIsDeletedButNotWhatIsStillNeeded) {
  write([&](store::Tx& tx) {
    const ServiceNumber number = service(tx, "web").number;
    const auto change = [&](const Deployment& target) {
      ServiceDeployment one{.service = number, .id = "to " + target.id, .target = target.number};
      one.created_at = target.created_at;
      insert_service_deployment(tx, one);
    };
    for (const char* id : {"1", "2", "3", "4"}) {
      const bool last = std::string_view(id) == "4";
      Deployment one = deployment(tx, number, id, last ? DeploymentRole::Primary : DeploymentRole::Inactive);
      if (std::string_view(id) == "2") {
        one.completed_at = kServiceTime;
        one.rollout = Rollout::Completed;
        update_deployment(tx, one);
      }
      change(one);
    }
    delete_old_deployments(tx, number, kServiceTime - hours(1));
    EXPECT_THAT(list_service_deployments(tx, number, 0, 10), SizeIs(4));
    delete_old_deployments(tx, number, kServiceTime);
    const auto left = list_service_deployments(tx, number, 0, 10);
    ASSERT_THAT(left, SizeIs(1));
    EXPECT_EQ(left[0].id, "to 4");
    EXPECT_FALSE(find_deployment(tx, number, "1"));
    EXPECT_TRUE(find_deployment(tx, number, "2"));
    EXPECT_FALSE(find_deployment(tx, number, "3"));
    EXPECT_TRUE(find_deployment(tx, number, "4"));
  });
}

TEST_P(ServiceRows, TheNewestHundredEventsAreKept) {
  write([&](store::Tx& tx) {
    const ServiceNumber web = service(tx, "web").number, other = service(tx, "other").number;
    insert_service_event(tx, other, {"id", kServiceTime, "kept"});
    for (int i = 0; i < 103; ++i) insert_service_event(tx, web, {"id", kServiceTime, std::to_string(i)});
    const auto events = list_service_events(tx, web);
    ASSERT_THAT(events, SizeIs(100));
    EXPECT_EQ(events.front().message, "102");
    EXPECT_EQ(events.back().message, "3");
    EXPECT_THAT(list_service_events(tx, other), SizeIs(1));
  });
  EXPECT_EQ(database_->value("SELECT count(*) FROM ecs_service_events"), "101");
}

TEST_P(ServiceRows, TheTasksOfAServiceAreFoundByItsLaunches) {
  write([&](store::Tx& tx) {
    const ServiceNumber web = service(tx, "web").number, other = service(tx, "other").number;
    const Deployment first = deployment(tx, web, "1", DeploymentRole::Active);
    const Deployment second = deployment(tx, web, "2", DeploymentRole::Primary);
    auto old = start(tx, first, 2);
    const auto fresh = start(tx, second, 1);
    start(tx, deployment(tx, other, "3", DeploymentRole::Primary), 1);
    old[0].known = model::TaskStatus::Stopped;
    old[0].desired = model::DesiredStatus::Stopped;
    old[0].stopping_at = old[0].stopped_at = kServiceTime;
    move_to_stopped(tx, old[0]);
    const auto tasks = list_service_tasks(tx, web);
    ASSERT_THAT(tasks, SizeIs(2));
    EXPECT_EQ(tasks[0].id, old[1].id);
    EXPECT_EQ(tasks[0].deployment, first.number);
    EXPECT_EQ(tasks[0].machine, machine_.id);
    EXPECT_EQ(tasks[1].id, fresh[0].id);
    EXPECT_EQ(tasks[1].deployment, second.number);
    auto counts = count_service_tasks(tx, web);
    EXPECT_EQ(counts[first.number].pending, 1);
    EXPECT_EQ(counts[second.number].pending, 1);
    old[1].known = model::TaskStatus::Running;
    update_task(tx, old[1]);
    counts = count_service_tasks(tx, web);
    EXPECT_EQ(counts[first.number].running, 1);
    EXPECT_EQ(counts[first.number].pending, 0);
    const auto launch = find_launch(tx, fresh[0].launch());
    EXPECT_EQ(launch->service, web);
    EXPECT_EQ(launch->deployment, second.number);
    EXPECT_THAT(list_task_names(tx, {.cluster = cluster_, .service = web, .most = 10}),
                ElementsAre(old[1].name, fresh[0].name));
    EXPECT_THAT(
        list_task_names(tx, {.cluster = cluster_, .kind = TaskFilter::Kind::Stopped, .service = web, .most = 10}),
        ElementsAre(old[0].name));
  });
}

TEST_P(ServiceRows, ProtectionEndsWithTheTask) {
  write([&](store::Tx& tx) {
    auto tasks = start(tx, deployment(tx, service(tx, "web").number, "1", DeploymentRole::Primary), 1);
    EXPECT_FALSE(find_task(tx, tasks[0].id)->protected_until);
    set_protection(tx, tasks[0].name, kServiceTime + hours(1));
    auto task = find_task(tx, tasks[0].id);
    EXPECT_EQ(task->protected_until, kServiceTime + hours(1));
    task->known = model::TaskStatus::Running;
    update_task(tx, *task);
    EXPECT_EQ(find_task_state(tx, tasks[0].id)->protected_until, kServiceTime + hours(1));
    set_protection(tx, tasks[0].name, std::nullopt);
    EXPECT_FALSE(find_task(tx, tasks[0].id)->protected_until);
  });
}

TEST_P(ServiceRows, ADefinitionIsKeptAsLongAsADeploymentNeedsIt) {
  write([&](store::Tx& tx) {
    Service gone = service(tx, "web");
    deployment(tx, gone.number, "1", DeploymentRole::Inactive);
    Definition definition = *find_definition(tx, definition_);
    definition.status = "DELETE_IN_PROGRESS";
    definition.delete_requested_at = kServiceTime;
    update_definition(tx, definition);
    delete_old_definitions(tx, kServiceTime + kDeletionTakes);
    EXPECT_TRUE(find_definition(tx, definition_));
    retire(tx, gone, kServiceTime);
    delete_old_services(tx, kServiceTime);
    delete_old_definitions(tx, kServiceTime + kDeletionTakes);
    EXPECT_FALSE(find_definition(tx, definition_));
  });
}

}  // namespace
}  // namespace state
