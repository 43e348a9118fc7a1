// SPDX-License-Identifier: Apache-2.0
// Creating, changing, describing and deleting capacity providers.
#include "services/ecs/capacity/provider_operations.h"

#include <algorithm>

#include "services/arn.h"
#include "services/ecs/arn.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/provider.h"
#include "services/ecs/capacity/scaling_group.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/tags.h"

namespace services::ecs {
namespace {

constexpr std::int32_t kMaxStep = 10000, kMaxWarmup = 10000, kMaxTarget = 100, kDefaultWarmup = 300;
constexpr std::size_t kMaxDescribedProviders = 100;
constexpr std::int32_t kMostOfAPage = 10;                                // Amazon's
constexpr base::Duration kInactiveProvidersFor = std::chrono::hours(1);  // Amazon does not document it
constexpr char kEnabled[] = "ENABLED", kDisabled[] = "DISABLED";

bool is_reserved(const std::string& name) {
  std::string lower;
  for (char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return lower.starts_with("aws") || lower.starts_with("ecs") || lower.starts_with("fargate");
}

void check_provider_name(const std::string& name) {
  if (plain_name(name) && !is_reserved(name)) return;
  throw client_error(
      "The specified capacity provider name is invalid. Up to 255 characters are allowed, including letters (upper and "
      "lowercase), numbers, underscores, and hyphens. The name cannot be prefixed with \"aws\", \"ecs\", or "
      "\"fargate\". Specify a valid name and try again.");
}

// The group's name: requests have that, or its ARN.
std::string group_name(const Caller& caller, const std::string& text) {
  if (!text.starts_with("arn:")) return text;
  constexpr std::string_view kName = ":autoScalingGroupName/";
  const auto arn = services::parse_arn(text, "autoscaling");
  const std::size_t at = arn ? arn->resource.find(kName) : std::string_view::npos;
  const bool own = arn && arn->account == caller.account && arn->region == caller.region;
  if (!own || at == std::string_view::npos || !arn->resource.starts_with("autoScalingGroup:")) return "";
  return std::string(arn->resource.substr(at + kName.size()));
}

void check_scaling(const ManagedScaling& scaling) {
  const auto in_range = [](std::int32_t value, std::int32_t least, std::int32_t most) {
    return value >= least && value <= most;
  };
  const bool steps = in_range(*scaling.minimumScalingStepSize, 1, kMaxStep) &&
                     in_range(*scaling.maximumScalingStepSize, 1, kMaxStep) &&
                     *scaling.minimumScalingStepSize <= *scaling.maximumScalingStepSize;
  if (!steps) {
    throw client_error(
        "The minimum or maximum scaling step size value is invalid. The minimum and maximum scaling step sizes must be "
        "between 1 and 10000, and the minimum must not be greater than the maximum.");
  }
  if (!in_range(*scaling.targetCapacity, 1, kMaxTarget)) {
    throw client_error("The target capacity value is invalid. It must be between 1 and 100.");
  }
  if (!in_range(*scaling.instanceWarmupPeriod, 0, kMaxWarmup)) {
    throw client_error("The instance warmup period value is invalid. It must be between 0 and 10000.");
  }
}

ManagedScaling merge_scaling(const std::optional<ManagedScaling>& old, const std::optional<ManagedScaling>& given) {
  ManagedScaling scaling = old.value_or(ManagedScaling{.status = kDisabled,
                                                       .targetCapacity = kMaxTarget,
                                                       .minimumScalingStepSize = 1,
                                                       .maximumScalingStepSize = kMaxStep,
                                                       .instanceWarmupPeriod = kDefaultWarmup});
  if (!given) return scaling;
  if (given->status) scaling.status = given->status;
  if (given->targetCapacity) scaling.targetCapacity = given->targetCapacity;
  if (given->minimumScalingStepSize) scaling.minimumScalingStepSize = given->minimumScalingStepSize;
  if (given->maximumScalingStepSize) scaling.maximumScalingStepSize = given->maximumScalingStepSize;
  if (given->instanceWarmupPeriod) scaling.instanceWarmupPeriod = given->instanceWarmupPeriod;
  return scaling;
}

void check_protection(const Provider& provider, const shapes::autoscaling::AutoScalingGroup& group) {
  if (!provider.protects()) return;
  const std::string why =
      "The managed termination protection setting for the capacity provider is invalid. To enable "
      "managed termination protection for a capacity provider, ";
  if (!provider.scales()) throw client_error(why + "managed scaling must be enabled.");
  if (group.NewInstancesProtectedFromScaleIn.value_or(false)) return;
  throw client_error(why + "the Auto Scaling group must have instance protection from scale in enabled.");
}

// The group of a provider, with the checks that need it.
shapes::autoscaling::AutoScalingGroup check_provider(Call& call, const Provider& provider) {
  check_scaling(provider.scaling());
  auto group = provider.group.empty() ? std::nullopt : find_group(call, group_of(provider));
  if (!group) {
    throw client_error(
        "The specified Auto Scaling group ARN is invalid. Specify a valid Auto Scaling group ARN and "
        "try again.");
  }
  check_protection(provider, *group);
  return std::move(*group);
}

Provider find_named_provider(Call& call, const std::string& text) {
  std::string name = text;
  if (text.starts_with("arn:")) {
    const auto arn = parse_arn(text);
    name = arn && arn->belongs_to(call.caller) && arn->type == "capacity-provider" ? arn->name : "";
  }
  auto provider = find_provider(call.tx, call.caller.account, call.caller.region, name);
  if (!provider || provider->inactive_at) {
    throw client_error("The specified capacity provider does not exist. Specify a valid name or ARN and try again.");
  }
  return std::move(*provider);
}

void reject_cluster(const std::optional<std::string>& cluster) {
  if (cluster) throw unsupported("cluster", "it belongs to managed instances; use PutClusterCapacityProviders");
}

// All of a page, or those that are named.
std::vector<Provider> select_providers(Call& call, const DescribeCapacityProvidersRequest& request,
                                       DescribeCapacityProvidersResponse& response) {
  std::vector<Provider> found;
  const auto names = request.capacityProviders.value_or(std::vector<std::string>());
  if (names.empty()) {
    const Page page = page_of(request.maxResults, request.nextToken, kMostOfAPage);
    found = list_providers(call.tx, call.caller, page.after, page.size + 1);
    std::vector<std::string> keys;
    for (const Provider& provider : found) keys.push_back(provider.name);
    response.nextToken = cut_page(keys, page);
    found.resize(keys.size());
    return found;
  }
  check_at_most(kMaxDescribedProviders, names.size(), "capacityProviders");
  for (const std::string& text : names) {
    const auto arn = parse_arn(text);
    const bool own = !arn || (arn->belongs_to(call.caller) && arn->type == "capacity-provider");
    const std::string name = arn ? arn->name : text;
    auto provider = own ? find_provider(call.tx, call.caller.account, call.caller.region, name) : std::nullopt;
    if (provider) {
      found.push_back(std::move(*provider));
    } else {
      const std::string missing = arn ? text : own_arn(call.caller, "capacity-provider", name).str();
      response.failures->push_back({.arn = missing, .reason = "MISSING"});
    }
  }
  return found;
}

}  // namespace

CreateCapacityProviderResponse create_capacity_provider(Call& call, const CreateCapacityProviderRequest& request) {
  check_provider_name(request.name);
  reject_cluster(request.cluster);
  if (request.managedInstancesProvider) {
    throw unsupported("managedInstancesProvider", "machines come from Auto Scaling groups");
  }
  if (!request.autoScalingGroupProvider) throw invalid_parameter("autoScalingGroupProvider can not be blank.");
  delete_inactive_providers(call.tx, call.now - kInactiveProvidersFor);
  const auto existing = find_provider(call.tx, call.caller.account, call.caller.region, request.name);
  if (existing && !existing->inactive_at) {
    throw client_error(
        "The specified capacity provider already exists. To change the configuration of an existing "
        "capacity provider, update the capacity provider.");
  }
  Provider provider{.account = call.caller.account, .region = call.caller.region, .name = request.name};
  AutoScalingGroupProvider& body = provider.body.autoScalingGroupProvider;
  body = *request.autoScalingGroupProvider;
  body.managedScaling = merge_scaling(std::nullopt, body.managedScaling);
  if (!body.managedTerminationProtection) body.managedTerminationProtection = kDisabled;
  if (!body.managedDraining) body.managedDraining = kEnabled;
  provider.body.tags = add_tags({}, request.tags.value_or(std::vector<Tag>()));
  provider.body.updateStatus = "CREATE_COMPLETE";
  provider.group = group_name(call.caller, body.autoScalingGroupArn);
  provider.created_at = call.now;
  body.autoScalingGroupArn = check_provider(call, provider).AutoScalingGroupARN.value_or(body.autoScalingGroupArn);
  if (find_provider_of_group(call.tx, provider.account, provider.region, provider.group)) {
    throw client_error(
        "The specified Auto Scaling group ARN is already being used by another capacity provider. "
        "Specify a unique Auto Scaling group ARN and try again.");
  }
  insert_provider(call.tx, provider);
  return {.capacityProvider = shown(provider, true)};
}

UpdateCapacityProviderResponse update_capacity_provider(Call& call, const UpdateCapacityProviderRequest& request) {
  reject_cluster(request.cluster);
  if (request.managedInstancesProvider) {
    throw unsupported("managedInstancesProvider", "machines come from Auto Scaling groups");
  }
  if (!request.autoScalingGroupProvider) throw invalid_parameter("autoScalingGroupProvider can not be blank.");
  Provider provider = find_named_provider(call, request.name);
  AutoScalingGroupProvider& body = provider.body.autoScalingGroupProvider;
  const AutoScalingGroupProviderUpdate& update = *request.autoScalingGroupProvider;
  body.managedScaling = merge_scaling(body.managedScaling, update.managedScaling);
  if (update.managedTerminationProtection) body.managedTerminationProtection = update.managedTerminationProtection;
  if (update.managedDraining) body.managedDraining = update.managedDraining;
  check_provider(call, provider);
  provider.body.updateStatus = "UPDATE_COMPLETE";
  provider.body.updateStatusReason.reset();
  update_provider(call.tx, provider);
  adapt_associations(call, provider);
  return {.capacityProvider = shown(provider, false)};
}

// The request succeeds in any case; as at Amazon, updateStatus says whether the provider is deleted.
DeleteCapacityProviderResponse delete_capacity_provider(Call& call, const DeleteCapacityProviderRequest& request) {
  reject_cluster(request.cluster);
  Provider provider = find_named_provider(call, request.capacityProvider);
  const auto clusters = list_clusters_of(call.tx, provider);
  provider.body.updateStatusReason.reset();
  if (clusters.empty()) {
    provider.inactive_at = call.now;
    provider.body.updateStatus = "DELETE_COMPLETE";
    provider.body.tags.clear();
  } else {
    provider.body.updateStatus = "DELETE_FAILED";
    provider.body.updateStatusReason =
        "The capacity provider cannot be deleted because it is associated with cluster: " + clusters.front().name +
        ". Remove the capacity provider from the cluster and try again.";
  }
  update_provider(call.tx, provider);
  return {.capacityProvider = shown(provider, false)};
}

DescribeCapacityProvidersResponse describe_capacity_providers(Call& call,
                                                              const DescribeCapacityProvidersRequest& request) {
  DescribeCapacityProvidersResponse response;
  response.capacityProviders.emplace();
  response.failures.emplace();
  reject_cluster(request.cluster);
  const auto include = request.include.value_or(std::vector<std::string>());
  const bool tags = std::ranges::find(include, "TAGS") != include.end();
  for (const Provider& provider : select_providers(call, request, response)) {
    response.capacityProviders->push_back(shown(provider, tags));
  }
  return response;
}

std::vector<Operation> capacity_provider_operations() {
  return {
      operation<&create_capacity_provider>("CreateCapacityProvider", Access::Write),
      operation<&delete_capacity_provider>("DeleteCapacityProvider", Access::Write),
      operation<&describe_capacity_providers>("DescribeCapacityProviders", Access::Read),
      operation<&update_capacity_provider>("UpdateCapacityProvider", Access::Write),
  };
}

}  // namespace services::ecs
