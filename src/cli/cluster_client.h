// SPDX-License-Identifier: Apache-2.0
// Calls to ECS and to our own operations beside it, for one cluster. Lists come whole.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "client/client.h"
#include "shapes/ecs/container_instance.h"
#include "shapes/ecs/task.h"
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
      throw_plainly(error);
    }
  }

  std::vector<shapes::ecs::Task> running_tasks();
  std::vector<shapes::ecs::Task> stopped_tasks();
  shapes::ecs::Task describe_task(const std::string& id);
  std::vector<shapes::ecs::ContainerInstance> instances();
  std::vector<shapes::stoker::StokerGpuState> gpus();

  // The id of the task that is meant by an ARN, an id, or how one begins.
  std::string find_task(const std::string& text);
  // The same of a machine, which may be called by its name too.
  shapes::ecs::ContainerInstance find_instance(const std::string& text);

 private:
  static const client::Target& target();
  // A cluster that is not there is told with what to do about it.
  [[noreturn]] void throw_plainly(const wire::ApiError& error) const;
  std::vector<std::string> task_ids(const std::string& desired);
  std::vector<shapes::ecs::Task> describe(const std::vector<std::string>& ids);

  std::string cluster_;
  client::Profile profile_;
  client::Client client_;
};

// The name of the machine of each ARN.
std::map<std::string, std::string> machine_names(const std::vector<shapes::ecs::ContainerInstance>& instances);

}  // namespace cli
