// SPDX-License-Identifier: Apache-2.0
#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/shape_json.h"
#include "shapes/ecs/cluster.h"
#include "shapes/ecs/task_definition_list.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace ecs = shapes::ecs;

constexpr char kDefinitionKind[] = "task definition";
constexpr char kServiceKind[] = "service";
constexpr char kDefaultCluster[] = "default";
constexpr std::int32_t kDefinitionsPerPage = 100;

std::string tag_value(const std::optional<std::vector<ecs::Tag>>& tags) {
  for (const ecs::Tag& tag : tags.value_or(std::vector<ecs::Tag>())) {
    if (tag.key == kPipelineTag) return tag.value.value_or("");
  }
  return "";
}

// Agents create the cluster "default" when they join; a pipeline may come first.
void require_cluster(Reconciliation& work, const std::string& name) {
  ecs::DescribeClustersRequest request;
  request.clusters = std::vector<std::string>{name};
  const auto found = invoke<ecs::DescribeClustersResponse>(work.call, work.call.caller, "ecs", "DescribeClusters", request);
  for (const auto& cluster : found.clusters.value_or(std::vector<ecs::Cluster>())) {
    if (cluster.status == "ACTIVE") return;
  }
  if (name != kDefaultCluster) {
    throw wire::ApiError("ValidationException", "The cluster '" + name + "' does not exist. Create it with 'aws ecs "
                                                "create-cluster', or set another cluster in the pipeline's spec.");
  }
  if (work.dry_run) return;
  ecs::CreateClusterRequest create;
  create.clusterName = name;
  invoke<ecs::CreateClusterResponse>(work.call, work.call.caller, "ecs", "CreateCluster", create);
}

// nullopt: the service does not exist, or is INACTIVE.
std::optional<ecs::Service> find_worker_service(Call& call, const std::string& cluster, const std::string& name) {
  ecs::DescribeServicesRequest request;
  request.cluster = cluster;
  request.services = {name};
  request.include = std::vector<std::string>{"TAGS"};
  try {
    const auto found = invoke<ecs::DescribeServicesResponse>(call, call.caller, "ecs", "DescribeServices", request);
    for (const ecs::Service& service : found.services.value_or(std::vector<ecs::Service>())) {
      if (service.status != "INACTIVE") return service;
    }
  } catch (const wire::ApiError& error) {
    if (error.code() != "ClusterNotFoundException") throw;
  }
  return std::nullopt;
}

struct StandingDefinition {
  ecs::TaskDefinition body;
  std::string tag;
};

std::optional<StandingDefinition> find_definition(Call& call, const std::string& reference) {
  ecs::DescribeTaskDefinitionRequest request{.taskDefinition = reference};
  request.include = std::vector<std::string>{"TAGS"};
  try {
    auto found =
        invoke<ecs::DescribeTaskDefinitionResponse>(call, call.caller, "ecs", "DescribeTaskDefinition", request);
    if (!found.taskDefinition) return std::nullopt;
    return StandingDefinition{std::move(*found.taskDefinition), tag_value(found.tags)};
  } catch (const wire::ApiError& error) {
    if (error.code() != "ClientException") throw;
    return std::nullopt;
  }
}

template <class T>
std::string list_text(const std::optional<std::vector<T>>& list) {
  std::string text;
  for (const T& one : list.value_or(std::vector<T>())) {
    if constexpr (std::is_same_v<T, std::string>) {
      text += (text.empty() ? "" : " ") + one;
    } else {
      text += (text.empty() ? "" : ",") + to_json(one);
    }
  }
  return text;
}

std::string labels_text(const std::optional<std::map<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [name, value] : labels.value_or(std::map<std::string, std::string>())) {
    text += (text.empty() ? "" : ",") + name + "=" + value;
  }
  return text;
}

void compare_containers(Comparison& comparison, const ecs::ContainerDefinition& before,
                        const ecs::ContainerDefinition& after) {
  comparison.text("name", before.name.value_or(""), after.name.value_or(""));
  comparison.text("image", before.image.value_or(""), after.image.value_or(""));
  comparison.text("entryPoint", list_text(before.entryPoint), list_text(after.entryPoint));
  comparison.text("command", list_text(before.command), list_text(after.command));
  comparison.text("environment", list_text(before.environment), list_text(after.environment));
  comparison.number("cpu", before.cpu.value_or(0), after.cpu.value_or(0));
  comparison.number("memory", before.memory.value_or(0), after.memory.value_or(0));
  comparison.number("memoryReservation", before.memoryReservation.value_or(0), after.memoryReservation.value_or(0));
  comparison.number("stopTimeout", before.stopTimeout.value_or(0), after.stopTimeout.value_or(0));
  comparison.text("dockerLabels", labels_text(before.dockerLabels), labels_text(after.dockerLabels));
  comparison.text("resourceRequirements", list_text(before.resourceRequirements), list_text(after.resourceRequirements));
  comparison.text("logConfiguration", before.logConfiguration ? to_json(*before.logConfiguration) : "",
                  after.logConfiguration ? to_json(*after.logConfiguration) : "");
}

// Records what makes a new revision necessary.
bool definition_differs(Reconciliation& work, const StandingDefinition& standing,
                        const ecs::RegisterTaskDefinitionRequest& desired) {
  Comparison comparison(work, kDefinitionKind, desired.family);
  comparison.text("family", standing.body.family.value_or(""), desired.family);
  comparison.text("status", standing.body.status.value_or(""), "ACTIVE");
  comparison.tag(standing.tag);
  comparison.text("taskRoleArn", standing.body.taskRoleArn.value_or(""), desired.taskRoleArn.value_or(""));
  comparison.text("networkMode", standing.body.networkMode.value_or(""), "");
  comparison.text("placementConstraints", list_text(standing.body.placementConstraints),
                  list_text(desired.placementConstraints));
  const auto containers = standing.body.containerDefinitions.value_or(std::vector<ecs::ContainerDefinition>());
  comparison.number("containers", std::ssize(containers), std::ssize(desired.containerDefinitions));
  if (!containers.empty()) compare_containers(comparison, containers.front(), desired.containerDefinitions.front());
  return comparison.differs();
}

std::string register_definition(Reconciliation& work, const ecs::RegisterTaskDefinitionRequest& request) {
  const auto registered = invoke<ecs::RegisterTaskDefinitionResponse>(work.call, work.call.caller, "ecs",
                                                                      "RegisterTaskDefinition", request);
  return registered.taskDefinition->taskDefinitionArn.value_or("");
}

void create_worker_service(Reconciliation& work, const Desired& desired) {
  const std::string& family = desired.definition.family;
  const auto standing = find_definition(work.call, family);
  claim(work, kDefinitionKind, family, standing.has_value());
  claim(work, kServiceKind, desired.names.service, false);
  work.created(kDefinitionKind, family);
  work.created(kServiceKind, desired.names.service);
  if (work.dry_run) return;
  ecs::CreateServiceRequest request = desired.service;
  request.taskDefinition = register_definition(work, desired.definition);
  invoke<ecs::CreateServiceResponse>(work.call, work.call.caller, "ecs", "CreateService", request);
}

void change_worker_service(Reconciliation& work, const Desired& desired, const ecs::Service& standing) {
  claim(work, kDefinitionKind, desired.definition.family, false);
  const std::string current = standing.taskDefinition.value_or("");
  const auto definition = find_definition(work.call, current);
  ecs::UpdateServiceRequest update{.cluster = desired.service.cluster, .service = desired.names.service};
  const bool outdated = !definition || definition_differs(work, *definition, desired.definition);
  if (!definition) work.created(kDefinitionKind, desired.definition.family);
  Comparison comparison(work, kServiceKind, desired.names.service);
  const auto deployment = standing.deploymentConfiguration.value_or(ecs::DeploymentConfiguration());
  const auto& wanted = *desired.service.deploymentConfiguration;
  comparison.number("minimumHealthyPercent", deployment.minimumHealthyPercent.value_or(100),
                    *wanted.minimumHealthyPercent);
  comparison.number("maximumPercent", deployment.maximumPercent.value_or(200), *wanted.maximumPercent);
  if (comparison.differs()) update.deploymentConfiguration = wanted;
  // Scaling decides how many there are, unless the pipeline is paused.
  if (desired.paused && comparison.number("desiredCount", standing.desiredCount.value_or(0), 0)) update.desiredCount = 0;
  const bool changes = comparison.differs() || outdated;
  const bool untagged = comparison.tag(tag_value(standing.tags));
  if (work.dry_run) return;
  if (outdated) update.taskDefinition = register_definition(work, desired.definition);
  if (changes) invoke<ecs::UpdateServiceResponse>(work.call, work.call.caller, "ecs", "UpdateService", update);
  if (!untagged) return;
  ecs::TagResourceRequest tagging{.resourceArn = standing.serviceArn.value_or("")};
  tagging.tags = {{.key = kPipelineTag, .value = work.pipeline}};
  invoke<ecs::TagResourceResponse>(work.call, work.call.caller, "ecs", "TagResource", tagging);
}

void deregister_definitions(Reconciliation& work, const std::string& family) {
  ecs::ListTaskDefinitionsRequest request;
  request.familyPrefix = family;
  request.status = "ACTIVE";
  request.maxResults = kDefinitionsPerPage;
  bool any = false;
  for (bool more = true; more;) {
    const auto listed =
        invoke<ecs::ListTaskDefinitionsResponse>(work.call, work.call.caller, "ecs", "ListTaskDefinitions", request);
    for (const std::string& arn : listed.taskDefinitionArns.value_or(std::vector<std::string>())) {
      any = true;
      invoke<ecs::DeregisterTaskDefinitionResponse>(work.call, work.call.caller, "ecs", "DeregisterTaskDefinition",
                                                    ecs::DeregisterTaskDefinitionRequest{.taskDefinition = arn});
    }
    request.nextToken = listed.nextToken;
    more = listed.nextToken.has_value();
  }
  if (any) work.deleted(kDefinitionKind, family);
}

}  // namespace

void reconcile_workers(Reconciliation& work, const Desired& desired) {
  require_cluster(work, *desired.service.cluster);
  const auto standing = find_worker_service(work.call, *desired.service.cluster, desired.names.service);
  if (standing && standing->status == "DRAINING") {
    throw wire::ApiError("ConflictException", "The service '" + desired.names.service +
                                                  "' was deleted and its last workers still finish their items. Nothing "
                                                  "was changed. Try again when they have ended.");
  }
  if (!standing) return create_worker_service(work, desired);
  claim(work, kServiceKind, desired.names.service, true);
  change_worker_service(work, desired, *standing);
}

void delete_workers(Reconciliation& work, const Desired& desired) {
  const auto standing = find_worker_service(work.call, *desired.service.cluster, desired.names.service);
  if (standing && standing->status == "ACTIVE") {
    work.deleted(kServiceKind, desired.names.service);
    ecs::DeleteServiceRequest request{.cluster = desired.service.cluster, .service = desired.names.service};
    request.force = true;
    invoke<ecs::DeleteServiceResponse>(work.call, work.call.caller, "ecs", "DeleteService", request);
  }
  deregister_definitions(work, desired.definition.family);
}

void show_workers(Call& call, const ResourceNames& names, const std::string& cluster,
                  shapes::stoker::PipelineDescription& into) {
  into.cluster = cluster;
  into.service = names.service;
  if (!into.workers) into.workers.emplace();
  const auto standing = find_worker_service(call, cluster, names.service);
  if (!standing) return;
  into.workers->desired = standing->desiredCount.value_or(0);
  into.workers->running = standing->runningCount.value_or(0);
  into.workers->pending = standing->pendingCount.value_or(0);
  into.taskDefinition = standing->taskDefinition;
  if (standing->events && !standing->events->empty()) into.lastEvent = standing->events->front().message;
}

void set_worker_count(Call& call, const ResourceNames& names, const std::string& cluster, int count) {
  ecs::UpdateServiceRequest request{.cluster = cluster, .service = names.service};
  request.desiredCount = count;
  invoke<ecs::UpdateServiceResponse>(call, call.caller, "ecs", "UpdateService", request);
}

}  // namespace services::pipelines
