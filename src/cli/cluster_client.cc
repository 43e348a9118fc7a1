// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_client.h"

#include <algorithm>

#include "cli/names.h"
#include "cli/profile.h"
#include "shapes/ecs/errors.h"
#include "shapes/ecs/service_list.h"
#include "shapes/ecs/task_list.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr wire::Service kEcs{.name = "ecs",
                             .target_prefix = "AmazonEC2ContainerServiceV20141113",
                             .api_version = "2014-11-13",
                             .errors = shapes::ecs::kErrors};
constexpr std::size_t kDescribePage = 100;
constexpr std::size_t kServicePage = 10;  // the most that DescribeServices accepts
constexpr std::int32_t kListPage = 100;

constexpr std::size_t kMostTaskIds = 4;

bool is_of(const Task& task, const std::string& name) {
  const std::string definition = family_and_revision(task.taskDefinitionArn.value_or(""));
  return service_of(task.group.value_or("")) == name || definition == name ||
         definition.substr(0, definition.rfind(':')) == name;
}

std::string id_or_prefix(const std::string& text) { return text.starts_with("arn:") ? id_of(text) : text; }

}  // namespace

ClusterClient::ClusterClient(const Options& options)
    : cluster_(options.cluster), profile_(read_profile(options)), client_(profile_) {}

const client::Target& ClusterClient::target() {
  static const client::Target target{kEcs, "ecs", wire::Protocol::Json11};
  return target;
}

void ClusterClient::rethrow_for_people(const wire::ApiError& error) {
  if (error.code() != "ClusterNotFoundException") throw error;
  const std::string others = clusters_with_machines();
  if (cluster_ != "default" || !others.empty()) {
    throw std::runtime_error("no such cluster: " + cluster_ + " in region " + profile_.region + others);
  }
  throw std::runtime_error("no cluster yet: the first machine that joins creates it (see `stoker token`)");
}

std::vector<shapes::stoker::StokerCluster> ClusterClient::clusters() {
  std::vector<shapes::stoker::StokerCluster> clusters;
  shapes::stoker::StokerListClustersRequest request;
  do {
    auto page = client_.call<shapes::stoker::StokerListClustersResponse>(target(), "StokerListClusters", request);
    for (auto& cluster : page.clusters) clusters.push_back(std::move(cluster));
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  return clusters;
}

std::string ClusterClient::clusters_with_machines() {
  constexpr std::size_t kMostNamed = 5;
  std::string text;
  std::size_t count = 0;
  try {
    for (const auto& cluster : clusters()) {
      if (cluster.machines == 0 || count++ >= kMostNamed) continue;
      text += (text.empty() ? "; clusters with machines: " : ", ") + cluster.name + " in " + cluster.region + " (" +
              std::to_string(cluster.machines) + (cluster.machines == 1 ? " machine)" : " machines)");
    }
  } catch (const wire::ApiError&) {
    return "";  // a key without the permission to list them, or an older server
  }
  return text + (count > kMostNamed ? ", ..." : "");
}

std::vector<std::string> ClusterClient::task_ids(const std::string& desired) {
  std::vector<std::string> ids;
  ListTasksRequest request{.cluster = cluster_, .desiredStatus = desired};
  do {
    auto page = call<ListTasksResponse>("ListTasks", request);
    for (const std::string& arn : page.taskArns.value_or(std::vector<std::string>())) ids.push_back(id_of(arn));
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  return ids;
}

std::vector<Task> ClusterClient::describe(const std::vector<std::string>& ids) {
  std::vector<Task> tasks;
  for (std::size_t at = 0; at < ids.size(); at += kDescribePage) {
    DescribeTasksRequest request{.cluster = cluster_};
    request.tasks.assign(ids.begin() + static_cast<std::ptrdiff_t>(at),
                         ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + kDescribePage, ids.size())));
    auto page = call<DescribeTasksResponse>("DescribeTasks", request);
    for (Task& task : *page.tasks) tasks.push_back(std::move(task));
  }
  return tasks;
}

// ListTasks filters by desired status: a task that is stopping is among the stopped ones.
std::vector<Task> ClusterClient::running_tasks() {
  std::vector<Task> tasks = describe(task_ids("RUNNING"));
  for (Task& task : describe(task_ids("STOPPED"))) {
    if (task.lastStatus == "STOPPED") continue;
    // A task that began to stop between the two lists is in both.
    const bool known = std::ranges::find(tasks, task.taskArn, &Task::taskArn) != tasks.end();
    if (!known) tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<Task> ClusterClient::stopped_tasks() {
  std::vector<Task> tasks = describe(task_ids("STOPPED"));
  std::erase_if(tasks, [](const Task& task) { return task.lastStatus != "STOPPED"; });
  return tasks;
}

Task ClusterClient::describe_task(const std::string& id) {
  std::vector<Task> tasks = describe({id});
  if (tasks.empty()) throw std::runtime_error("task " + id + " no longer exists");
  return std::move(tasks.front());
}

std::vector<ContainerInstance> ClusterClient::instances() {
  std::vector<ContainerInstance> instances;
  ListContainerInstancesRequest request{.cluster = cluster_};
  do {
    auto page = call<ListContainerInstancesResponse>("ListContainerInstances", request);
    request.nextToken = page.nextToken;
    if (!page.containerInstanceArns || page.containerInstanceArns->empty()) continue;
    DescribeContainerInstancesRequest described{cluster_, *page.containerInstanceArns,
                                                std::vector<std::string>{"CONTAINER_INSTANCE_HEALTH"}};
    auto found = call<DescribeContainerInstancesResponse>("DescribeContainerInstances", described);
    for (ContainerInstance& instance : *found.containerInstances) instances.push_back(std::move(instance));
  } while (request.nextToken);
  std::ranges::sort(instances, {}, [](const ContainerInstance& one) { return one.ec2InstanceId.value_or(""); });
  return instances;
}

std::vector<shapes::stoker::StokerGpuState> ClusterClient::gpus() {
  std::vector<shapes::stoker::StokerGpuState> gpus;
  shapes::stoker::StokerListGpusRequest request{.cluster = cluster_};
  do {
    auto page = call<shapes::stoker::StokerListGpusResponse>("StokerListGpus", request);
    for (auto& gpu : page.gpus) gpus.push_back(std::move(gpu));
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  std::ranges::sort(gpus, {}, [](const auto& gpu) { return std::pair(gpu.machine, gpu.index); });
  return gpus;
}

std::vector<Service> ClusterClient::describe_services(const std::vector<std::string>& names) {
  std::vector<Service> services;
  for (std::size_t at = 0; at < names.size(); at += kServicePage) {
    DescribeServicesRequest request{.cluster = cluster_};
    request.services.assign(names.begin() + static_cast<std::ptrdiff_t>(at),
                            names.begin() + static_cast<std::ptrdiff_t>(std::min(at + kServicePage, names.size())));
    auto page = call<DescribeServicesResponse>("DescribeServices", request);
    for (Service& service : *page.services) services.push_back(std::move(service));
  }
  return services;
}

std::vector<Service> ClusterClient::services() {
  std::vector<std::string> names;
  ListServicesRequest request{.cluster = cluster_, .maxResults = kListPage};
  do {
    auto page = call<ListServicesResponse>("ListServices", request);
    for (const std::string& arn : page.serviceArns.value_or(std::vector<std::string>())) names.push_back(id_of(arn));
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  std::vector<Service> services = describe_services(names);
  std::ranges::sort(services, {}, [](const Service& one) { return one.serviceName.value_or(""); });
  return services;
}

Service ClusterClient::find_service(const std::string& text) {
  std::vector<Service> found = describe_services({text});
  if (found.empty()) throw no_such_service(text);
  return std::move(found.front());
}

std::runtime_error ClusterClient::no_such_service(const std::string& text) const {
  return std::runtime_error("no such service: " + text + " in cluster " + cluster_);
}

std::string ClusterClient::find_task(const std::string& text) {
  std::vector<std::string> ids = task_ids("RUNNING");
  for (std::string& id : task_ids("STOPPED")) ids.push_back(std::move(id));
  auto found = match_id(ids, id_or_prefix(text), "task");
  if (!found) throw std::runtime_error(found.error() + " in cluster " + cluster_);
  return *found;
}

std::vector<Task> ClusterClient::tasks_of(const std::string& name) {
  std::vector<Task> tasks = running_tasks();
  std::erase_if(tasks, [&](const Task& task) { return !is_of(task, name); });
  if (!tasks.empty()) return tasks;
  tasks = stopped_tasks();
  std::erase_if(tasks, [&](const Task& task) { return !is_of(task, name); });
  return tasks;
}

std::string ClusterClient::find_task_or_name(const std::string& text) {
  try {
    return find_task(text);
  } catch (const std::runtime_error&) {
    const std::vector<Task> named = tasks_of(text);
    if (named.empty()) throw;
    if (named.size() == 1) return id_of(*named.front().taskArn);
    std::string ids;
    for (std::size_t i = 0; i < std::min(named.size(), kMostTaskIds); ++i) ids += (i ? ", " : "") + short_id(*named[i].taskArn);
    if (named.size() > kMostTaskIds) ids += ", ...";
    throw std::runtime_error(std::to_string(named.size()) + " tasks have the name " + text + ": use an id (" + ids + ")");
  }
}

ContainerInstance ClusterClient::find_instance(const std::string& text) {
  const std::vector<ContainerInstance> all = instances();
  std::vector<const ContainerInstance*> named;
  for (const ContainerInstance& instance : all) {
    if (instance.ec2InstanceId == text) named.push_back(&instance);
  }
  if (named.size() == 1) return *named.front();
  std::vector<std::string> ids;
  for (const ContainerInstance& instance : all) ids.push_back(id_of(*instance.containerInstanceArn));
  if (named.size() > 1) {
    std::string names;
    for (const ContainerInstance* instance : named) names += (names.empty() ? "" : ", ") + machine_id(*instance->containerInstanceArn);
    throw std::runtime_error("several machines have the name " + text + ": use an id (" + names + ")");
  }
  auto found = match_id(ids, id_or_prefix(text), "machine");
  if (!found) throw std::runtime_error(found.error() + " in cluster " + cluster_);
  return all[static_cast<std::size_t>(std::ranges::find(ids, *found) - ids.begin())];
}

std::map<std::string, std::string> distinct_names(const std::map<std::string, std::string>& names_by_arn) {
  std::map<std::string, int> count;
  for (const auto& [arn, name] : names_by_arn) ++count[name];
  std::map<std::string, std::string> names;
  for (const auto& [arn, name] : names_by_arn) {
    names[arn] = count[name] > 1 ? name + " (" + machine_id(arn) + ")" : name;
  }
  return names;
}

std::map<std::string, std::string> machine_names(const std::vector<ContainerInstance>& instances) {
  std::map<std::string, std::string> names;
  for (const ContainerInstance& instance : instances) {
    names[*instance.containerInstanceArn] = instance.ec2InstanceId.value_or("");
  }
  return distinct_names(names);
}

}  // namespace cli
