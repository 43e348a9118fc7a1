// SPDX-License-Identifier: Apache-2.0
// Describing, listing, tagging and deleting services, and what else shows them.
#include "services/ecs/services/services_fixture.h"
#include "services/ecs/tasks/sweep.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kArn[] = "arn:aws:ecs:us-east-1:111111111111:service/default/";

class ServiceLife : public ServicesTest {
 protected:
  std::string delete_error(const std::string& more = "") {
    return error_of(&delete_service, R"({"service":"web")" + more + "}");
  }
  std::vector<std::string> listed(const std::string& json) {
    const auto response = run_json(&list_services, json);
    std::vector<std::string> names;
    for (const std::string& arn : *response.serviceArns) {
      names.push_back(arn.substr(arn.rfind('/') + 1));
    }
    return names;
  }
};

TEST_F(ServiceLife, AServiceIsDescribedByNameAndByArn) {
  create();
  for (const std::string& text :
       {std::string("web"), std::string(kArn) + "web", std::string("arn:aws:ecs:us-east-1:111111111111:service/web")}) {
    EXPECT_EQ(*describe_service(text).serviceName, "web") << text;
  }
  const auto missing = run(&describe_services, {.services = {"no", std::string(kArn) + "nor"}});
  EXPECT_THAT(*missing.services, IsEmpty());
  EXPECT_EQ(to_json(missing.failures->at(0)),
            R"({"arn":"arn:aws:ecs:us-east-1:111111111111:service/default/no","reason":"MISSING"})");
  EXPECT_EQ(*missing.failures->at(1).arn, std::string(kArn) + "nor");
  EXPECT_THAT(error_of(&describe_services, R"({"services":["arn:aws:ecs:us-east-1:111111111111:service/x/web"]})"),
              HasSubstr("Identifier is for cluster x. Your cluster is default"));
  EXPECT_THAT(error_of(&describe_services, R"({"services":[]})"), HasSubstr("InvalidParameterException"));
  EXPECT_THAT(error_of(&describe_services, R"({"services":["1","2","3","4","5","6","7","8","9","10","11"]})"),
              HasSubstr("service names can have at most 10 items."));
}

TEST_F(ServiceLife, TagsAreShownOnRequest) {
  const std::string arn = *create(R"("tags":[{"key":"a","value":"1"}])").serviceArn;
  EXPECT_FALSE(describe_service().tags);
  EXPECT_EQ(*describe_service("web", R"("include":["TAGS"])").tags->at(0).value, "1");
  run(&tag_resource, {.resourceArn = arn, .tags = {{"b", "2"}}});
  run(&untag_resource, {.resourceArn = arn, .tagKeys = {"a"}});
  EXPECT_EQ(to_json(run(&list_tags_for_resource, {.resourceArn = arn})), R"({"tags":[{"key":"b","value":"2"}]})");
  EXPECT_THAT(error_of(&tag_resource, std::string(R"({"tags":[{"key":"a"}],"resourceArn":")") + kArn + "no\"}"),
              HasSubstr("ResourceNotFoundException"));
}

TEST_F(ServiceLife, ServicesAreListedInPages) {
  for (const char* name : {"c", "a", "b"}) create("", name);
  create_daemon();
  EXPECT_THAT(listed("{}"), ElementsAre("a", "b", "c", "daemon"));
  EXPECT_THAT(listed(R"({"schedulingStrategy":"DAEMON"})"), ElementsAre("daemon"));
  EXPECT_THAT(listed(R"({"launchType":"FARGATE"})"), IsEmpty());
  EXPECT_THAT(listed(R"({"resourceManagementType":"ECS"})"), IsEmpty());
  const auto first = run_json(&list_services, R"({"maxResults":3})");
  EXPECT_THAT(*first.serviceArns, SizeIs(3));
  EXPECT_THAT(listed(R"({"maxResults":3,"nextToken":")" + *first.nextToken + "\"}"), ElementsAre("daemon"));
  for (int i = 0; i < 8; ++i) create("", "more" + std::to_string(i));
  EXPECT_THAT(listed("{}"), SizeIs(10));  // Amazon's default
}

TEST_F(ServiceLife, CountsFollowTheTasks) {
  create();
  const auto old = start(add_machine("a", 0), 2);
  update(R"("forceNewDeployment":true)");
  start(add_machine("b", 0), 1);
  change_task(old[0], [](state::TaskState& task) { task.known = model::TaskStatus::Running; });
  auto service = describe_service();
  EXPECT_EQ(*service.runningCount, 1);
  EXPECT_EQ(*service.pendingCount, 2);
  EXPECT_EQ(*service.deployments->at(0).pendingCount, 1);
  EXPECT_EQ(*service.deployments->at(1).runningCount, 1);
  EXPECT_EQ(*service.deployments->at(1).pendingCount, 1);
  EXPECT_EQ(*service.currentServiceRevisions->at(1).runningTaskCount, 1);
  // A task that is to stop is no longer one of the service's.
  change_task(old[0], [&](state::TaskState& task) {
    task.desired = model::DesiredStatus::Stopped;
    task.stopping_at = now_;
  });
  EXPECT_EQ(*describe_service().runningCount, 0);
}

TEST_F(ServiceLife, EventsAreShownFromTheNewest) {
  create();
  with_service("web", [](Call& call, StoredService& service) {
    state::insert_service_event(call.tx, service.number, {"1", call.now, "first"});
    state::insert_service_event(call.tx, service.number, {"2", call.now, "second"});
  });
  const auto service = describe_service();
  ASSERT_THAT(*service.events, SizeIs(2));
  EXPECT_EQ(to_json(service.events->at(0)), R"({"id":"2","createdAt":1800000000,"message":"second"})");
}

TEST_F(ServiceLife, ADeletedServiceDrainsBeforeItIsInactive) {
  create();
  EXPECT_EQ(delete_error(), "InvalidParameterException: The service cannot be stopped while it is scaled above 0.");
  update(R"("desiredCount":0)");
  const auto deleted = *run_json(&delete_service, R"({"service":"web"})").service;
  EXPECT_TRUE(woke_services());
  EXPECT_EQ(*deleted.status, "DRAINING");
  EXPECT_EQ(*describe_service().status, "DRAINING");
  EXPECT_THAT(listed("{}"), IsEmpty());
  EXPECT_EQ(*changes()[0].status, "STOPPED");
  retire();
  EXPECT_EQ(*describe_service().status, "INACTIVE");
  EXPECT_THAT(*describe_service().deployments, IsEmpty());
  EXPECT_EQ(*run_json(&delete_service, R"({"service":"web"})").service->status, "INACTIVE");
  EXPECT_THAT(error_of(&tag_resource, std::string(R"({"tags":[{"key":"a"}],"resourceArn":")") + kArn + "web\"}"),
              HasSubstr("ResourceNotFoundException"));
}

TEST_F(ServiceLife, ForceDeletesWhatStillRuns) {
  create();
  update(R"("forceNewDeployment":true)");
  update(R"("desiredCount":0)");
  EXPECT_EQ(delete_error(), "InvalidParameterException: The service cannot be stopped while deployments are active.");
  const auto deleted = *run_json(&delete_service, R"({"service":"web","force":true})").service;
  EXPECT_EQ(*deleted.status, "DRAINING");
  EXPECT_EQ(*deleted.desiredCount, 0);
  create_daemon();
  EXPECT_EQ(*run_json(&delete_service, R"({"service":"daemon"})").service->status, "DRAINING");
  EXPECT_EQ(error_of(&delete_service, R"({"service":"no"})"), "ServiceNotFoundException: Service not found.");
}

TEST_F(ServiceLife, AnInactiveServiceIsDescribedForAnHour) {
  create();
  run_json(&delete_service, R"({"service":"web","force":true})");
  retire();
  now_ += std::chrono::minutes(59);
  with_call([&](Call& call) { sweep_tasks(call, kLostAfter); });
  EXPECT_EQ(*describe_service().status, "INACTIVE");
  base::Time next = now_;
  with_call([&](Call& call) { next = *sweep_loop(kLostAfter).look(call).next; });
  EXPECT_EQ(next, now_ + std::chrono::minutes(1));
  now_ = next;
  with_call([&](Call& call) { sweep_tasks(call, kLostAfter); });
  EXPECT_EQ(*run(&describe_services, {.services = {"web"}}).failures->at(0).reason, "MISSING");
}

TEST_F(ServiceLife, AClusterWithServicesIsNotDeleted) {
  create();
  EXPECT_EQ(*run_json(&describe_clusters, "{}").clusters->at(0).activeServicesCount, 1);
  EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":"default"})"),
            "ClusterContainsServicesException: The Cluster cannot be deleted while Services are active.");
  run_json(&delete_service, R"({"service":"web","force":true})");
  EXPECT_THAT(error_of(&delete_cluster, R"({"cluster":"default"})"), HasSubstr("ClusterContainsServicesException"));
  EXPECT_THAT(to_json(run_json(&describe_clusters, R"({"include":["STATISTICS"]})").clusters->at(0)),
              HasSubstr(R"({"name":"drainingEC2ServiceCount","value":"1"})"));
  retire();
  EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":"default"})"), "");
}

TEST_F(ServiceLife, TasksAreListedByService) {
  create();
  create("", "other");
  const std::string machine = add_machine("a", 0);
  const auto mine = start(machine, 2);
  start(machine, 1, "other");
  run_family("plain");
  EXPECT_EQ(*run_json(&list_tasks, R"({"serviceName":"web"})").taskArns, mine);
  EXPECT_EQ(*run_json(&list_tasks, std::string(R"({"serviceName":")") + kArn + "web\"}").taskArns, mine);
  EXPECT_THAT(*run_json(&list_tasks, R"({"serviceName":"web","desiredStatus":"STOPPED"})").taskArns, IsEmpty());
  EXPECT_EQ(error_of(&list_tasks, R"({"serviceName":"no"})"), "ServiceNotFoundException: Service not found.");
  const auto task = run(&describe_tasks, {.tasks = {mine[0]}}).tasks->at(0);
  EXPECT_EQ(*task.group, "service:web");
  EXPECT_EQ(*task.startedBy, *describe_service().deployments->at(0).id);
}

}  // namespace
}  // namespace services::ecs
