// SPDX-License-Identifier: Apache-2.0
// stoker inspect
#include <algorithm>
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "shapes/ecs/task_definition.h"

namespace cli {
namespace {

using namespace shapes::ecs;

template <class T>
std::string json_of(const T& value) {
  std::string text;
  wire::write_json(wire::type_of<T>(), &value, text);
  return text;
}

// "" if there is no such thing. The errors of names that cannot be of this kind are the same as of unknown ones.
std::string task_json(ClusterClient& client, const std::string& name) {
  try {
    return json_of(client.describe_task(client.find_task(name)));
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("is the prefix of") != std::string::npos) throw;
    return "";
  }
}

std::string machine_json(ClusterClient& client, const std::string& name) {
  try {
    return json_of(client.find_instance(name));
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("several machines") != std::string::npos) throw;
    return "";
  }
}

std::string gpu_json(ClusterClient& client, const std::string& name) {
  for (const auto& gpu : client.gpus()) {
    const bool same = gpu.gpuId == name || short_gpu(gpu.gpuId) == name || short_gpu(gpu.gpuId) == "GPU-" + name;
    if (same) return json_of(gpu);
  }
  return "";
}

std::string service_json(ClusterClient& client, const std::string& name) {
  try {
    return json_of(client.find_service(name));
  } catch (const std::runtime_error&) {
    return "";
  } catch (const wire::ApiError&) {
    return "";
  }
}

std::string definition_json(ClusterClient& client, const std::string& name) {
  try {
    DescribeTaskDefinitionRequest request{name, std::vector<std::string>{"TAGS"}};
    return json_of(client.call<DescribeTaskDefinitionResponse>("DescribeTaskDefinition", request));
  } catch (const wire::ApiError&) {
    return "";
  }
}

}  // namespace

int inspect(const Options& options, const std::vector<std::string>& names, std::ostream& out) {
  ClusterClient client(options);
  std::string all;
  for (const std::string& name : names) {
    std::string text;
    for (const auto& find : {&task_json, &machine_json, &service_json, &definition_json, &gpu_json}) {
      text = find(client, name);
      if (!text.empty()) break;
    }
    if (text.empty()) {
      throw std::runtime_error("no task, machine, service, task definition or GPU has the name " + name + " in cluster " +
                               client.cluster());
    }
    all += (all.empty() ? "" : ",\n ") + text;
  }
  out << "[" << all << "]\n";
  return 0;
}

}  // namespace cli
