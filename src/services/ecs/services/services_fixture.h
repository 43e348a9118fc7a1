// SPDX-License-Identifier: Apache-2.0
// Test support: services of the families of machines_fixture.h, and tasks of theirs. Nothing reconciles them.
#pragma once

#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/services/stored_service.h"
#include "state/launch.h"

namespace services::ecs {

inline constexpr char kReplica[] = R"("taskDefinition":"plain","desiredCount":2)";

class ServicesTest : public MachinesTest {
 protected:
  // {"serviceName":"web","taskDefinition":"plain","desiredCount":2} and more.
  static std::string request_of(const std::string& more = "", const std::string& name = "web") {
    return R"({"serviceName":")" + name + "\"," + kReplica + (more.empty() ? "" : "," + more) + "}";
  }
  shapes::ecs::Service create(const std::string& more = "", const std::string& name = "web") {
    return *run_json(&create_service, request_of(more, name)).service;
  }
  std::string create_error(const std::string& more) { return error_of(&create_service, request_of(more)); }
  shapes::ecs::Service create_daemon(const std::string& more = "") {
    return *run_json(&create_service, daemon_of(more)).service;
  }
  static std::string daemon_of(const std::string& more = "") {
    return R"({"serviceName":"daemon","taskDefinition":"plain","schedulingStrategy":"DAEMON")" +
           (more.empty() ? "" : "," + more) + "}";
  }
  static std::string update_of(const std::string& more, const std::string& name = "web") {
    return R"({"service":")" + name + "\"," + more + "}";
  }
  shapes::ecs::Service update(const std::string& more, const std::string& name = "web") {
    return *run_json(&update_service, update_of(more, name)).service;
  }
  std::string update_error(const std::string& more, const std::string& name = "web") {
    return error_of(&update_service, update_of(more, name));
  }
  shapes::ecs::Service describe_service(const std::string& name = "web", const std::string& more = "") {
    return run_json(&describe_services, R"({"services":[")" + name + "\"]" + (more.empty() ? "" : "," + more) + "}")
        .services->at(0);
  }
  std::vector<ServiceDeploymentBrief> changes(const std::string& more = "", const std::string& name = "web") {
    return *run_json(&list_service_deployments,
                     R"({"service":")" + name + "\"" + (more.empty() ? "" : "," + more) + "}")
                .serviceDeployments;
  }
  shapes::ecs::ServiceDeployment describe_change(const std::string& arn) {
    return run(&describe_service_deployments, {.serviceDeploymentArns = {arn}}).serviceDeployments->at(0);
  }
  std::string register_again(const std::string& family) {
    return *register_json(R"({"family":")" + family +
                          R"(","containerDefinitions":[{"name":"c","image":"busybox","memory":16}]})")
                .taskDefinitionArn;
  }

  // What the loop does: these change the rows behind the operations.
  void with_service(const std::string& name, const std::function<void(Call&, StoredService&)>& use) {
    with_call([&](Call& call) {
      const auto cluster = state::find_cluster(call.tx, {caller_.account, caller_.region, "default"});
      StoredService service = find_service(call.tx, *cluster, name);
      use(call, service);
    });
  }
  void complete(const std::string& name = "web") {
    with_service(name, [](Call& call, StoredService& service) {
      StoredDeployment primary = primary_deployment(call.tx, service.number);
      primary.rollout = state::Rollout::Completed;
      primary.completed_at = call.now;
      update_deployment_row(call.tx, primary);
      auto change = state::find_service_deployment_of(call.tx, primary.number);
      change->status = "SUCCESSFUL";
      change->finished_at = call.now;
      state::update_service_deployment(call.tx, *change);
      for (state::Deployment& old : state::list_deployments(call.tx, service.number)) {
        if (old.role == state::DeploymentRole::Primary) continue;
        old.role = state::DeploymentRole::Inactive;
        state::update_deployment(call.tx, old);
      }
    });
  }
  void retire(const std::string& name = "web") {
    with_service(name, [](Call& call, StoredService& service) {
      service.status = state::ServiceStatus::Inactive;
      service.inactive_at = call.now;
      update_service_row(call.tx, service);
    });
  }
  // Tasks of the PRIMARY deployment, on this machine; returns their ARNs.
  std::vector<std::string> start(const std::string& machine, int count, const std::string& name = "web") {
    std::vector<std::string> arns;
    with_service(name, [&](Call& call, StoredService& service) {
      const StoredDeployment primary = primary_deployment(call.tx, service.number);
      state::Launch launch{.cluster = service.cluster, .definition = primary.definition, .group = "service:" + name};
      launch.started_by = deployment_name(primary);
      launch.service = service.number;
      launch.deployment = primary.number;
      launch.body_json = R"({"tags":[],"enableExecuteCommand":false})";
      launch.created_at = call.now;
      launch.number = state::insert_launch(call.tx, launch);
      std::vector<state::Task> tasks;
      for (int place = 0; place < count; ++place) {
        state::Task& task = tasks.emplace_back();
        task.name = state::new_task_name(launch.number, place);
        task.id = model::TaskId(state::to_text(task.name));
        task.cluster = service.cluster;
        task.machine_number = state::find_machine(call.tx, model::InstanceId(machine))->number;
        arns.push_back("arn:aws:ecs:us-east-1:111111111111:task/default/" + task.id.str());
      }
      state::insert_tasks(call.tx, tasks);
    });
    return arns;
  }
  void change_task(const std::string& arn, const std::function<void(state::TaskState&)>& change) {
    with_call([&](Call& call) {
      auto task = state::find_task_state(call.tx, model::TaskId(arn.substr(arn.rfind('/') + 1)));
      change(*task);
      state::update_task(call.tx, *task);
    });
  }
  bool woke_services() const { return wakes_.contains(std::string(state::kServicesTopic)); }
};

}  // namespace services::ecs
