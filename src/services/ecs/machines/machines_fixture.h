// SPDX-License-Identifier: Apache-2.0
// Test support: a cluster with families with and without GPUs, machines that join it, and reports of their agents.
#pragma once

#include "services/ecs/tasks/agent_work.h"
#include "services/ecs/ecs_fixture.h"
#include "services/options.h"

namespace services::ecs {

inline const base::Duration kLostAfter = Options().lost_after;

class MachinesTest : public EcsTest {
 protected:
  MachinesTest() {
    store_->write_now([&](store::Tx& tx) {
      caller_.access_key = state::ensure_root_key(tx, caller_.account, now_).id;
    });
    run_json(&create_cluster, "{}");
    // Without versions to fix, a service starts all of its tasks at once.
    register_json(
        R"({"family":"one","taskRoleArn":"arn:aws:iam::111111111111:role/worker","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
            "versionConsistency":"disabled","resourceRequirements":[{"type":"GPU","value":"1"}]}]})");
    register_json(
        R"({"family":"four","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
            "versionConsistency":"disabled","resourceRequirements":[{"type":"GPU","value":"4"}]}]})");
    register_json(
        R"({"family":"share","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
            "versionConsistency":"disabled","resourceRequirements":[{"type":"GPU",
              "sharingStrategy":{"nvidiaMps":{"memory":6000,"maxComputePercent":30}}}]}]})");
    register_json(
        R"({"family":"plain","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
            "versionConsistency":"disabled"}]})");
  }

  // Registers and connects a machine; returns its id.
  std::string add_machine(const std::string& name, int gpus) {
    std::string devices;
    shapes::agent::StokerGpus known;
    for (int i = 0; i < gpus; ++i) {
      const std::string id = "GPU-" + name + std::to_string(i);
      devices += (i ? "," : "") + std::string(R"({"id":")") + id + R"(","type":"GPU"})";
      known.gpus.push_back({id, "V100", 16384});
    }
    auto response = run_json(&register_container_instance,
                             R"({"instanceIdentityDocument":"{\"instanceId\":\")" + name +
                                 R"(\"}","totalResources":[{"name":"CPU","type":"INTEGER","integerValue":4096},
             {"name":"MEMORY","type":"INTEGER","integerValue":8000}],
             "attributes":[{"name":"com.amazonaws.ecs.capability.task-iam-role"}],"platformDevices":[)" + devices + "]}");
    const std::string arn = *response.containerInstance->containerInstanceArn;
    const std::string id = arn.substr(arn.rfind('/') + 1);
    with_call([&](Call& call) {
      store_gpus(call, model::InstanceId(id), known);
      set_connected(call, model::InstanceId(id), true);
    });
    return id;
  }

  RunTaskResponse run_family(const std::string& family, const std::string& more = "") {
    return run_json(&run_task, R"({"taskDefinition":")" + family + "\"" + (more.empty() ? "" : "," + more) + "}");
  }
  void report(const Task& task, const std::string& status, const std::string& more = "") {
    run_json(&submit_task_state_change,
             R"({"task":")" + *task.taskArn + R"(","status":")" + status + "\"" + more + "}");
  }
  Task describe(const Task& task) {
    auto response = run_json(&describe_tasks, R"({"tasks":[")" + *task.taskArn + "\"]}");
    return response.tasks->at(0);
  }
  ContainerInstance describe_machine(const std::string& id) {
    return run_json(&describe_container_instances, R"({"containerInstances":[")" + id + "\"]}")
        .containerInstances->at(0);
  }
};

}  // namespace services::ecs
