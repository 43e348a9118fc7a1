// SPDX-License-Identifier: Apache-2.0
// Calls of ECS and of our extensions to it, for one cluster. Lists are complete, not pages.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "client/client.h"
#include "shapes/ecs/container_instance.h"
#include "shapes/ecs/service.h"
#include "shapes/ecs/task.h"
#include "shapes/stoker/cluster.h"
#include "shapes/stoker/gpu.h"
#include "wire/error.h"

namespace cli {

class ClusterClient {
 public:
  explicit ClusterClient(const Options& options);

  const std::string& cluster() const { return cluster_; }
  const client::Profile& profile() const { return profile_; }

  template <class Output, class Input>
  Output call(std::string_view operation, const Input& input) {
    try {
      return client_.call<Output>(target(), operation, input);
    } catch (const wire::ApiError& error) {
      rethrow_for_people(error);
    }
  }

  std::vector<shapes::ecs::Task> running_tasks();
  std::vector<shapes::ecs::Task> stopped_tasks();
  shapes::ecs::Task describe_task(const std::string& id);
  std::vector<shapes::ecs::ContainerInstance> instances();
  std::vector<shapes::stoker::StokerGpuState> gpus();

  // In all regions.
  std::vector<shapes::stoker::StokerCluster> clusters();
  // "; clusters with machines: default in us-east-1 (2 machines)", or "" where there are none.
  std::string clusters_with_machines();

  // ACTIVE ones, by name.
  std::vector<shapes::ecs::Service> services();
  // By name or ARN. Throws when there is none; a deleted one is returned for a while, as INACTIVE.
  shapes::ecs::Service find_service(const std::string& text);
  std::runtime_error no_such_service(const std::string& text) const;

  // The id of the task with this ARN, id, or unique prefix of an id. Throws when there is none.
  std::string find_task(const std::string& text);
  // The tasks of a family, a family:revision or a service: those that run, or else those that have stopped.
  std::vector<shapes::ecs::Task> tasks_of(const std::string& name);
  // The same as find_task(), or the only task of a family or a service.
  std::string find_task_or_name(const std::string& text);
  // The machine with this name, ARN, id, or unique prefix of an id.
  shapes::ecs::ContainerInstance find_instance(const std::string& text);

 private:
  static const client::Target& target();
  // Replaces the error of a missing cluster by a text that says what to do.
  [[noreturn]] void rethrow_for_people(const wire::ApiError& error);
  std::vector<std::string> task_ids(const std::string& desired);
  std::vector<shapes::ecs::Task> describe(const std::vector<std::string>& ids);
  std::vector<shapes::ecs::Service> describe_services(const std::vector<std::string>& names);

  std::string cluster_;
  client::Profile profile_;
  client::Client client_;
};

// Names by ARN; machines with the same name have their id behind it: "box-a (77aa88bb)".
std::map<std::string, std::string> distinct_names(const std::map<std::string, std::string>& names_by_arn);
// The same of machines.
std::map<std::string, std::string> machine_names(const std::vector<shapes::ecs::ContainerInstance>& instances);

}  // namespace cli
