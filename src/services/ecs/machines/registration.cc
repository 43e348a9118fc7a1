// SPDX-License-Identifier: Apache-2.0
// RegisterContainerInstance, by Stoker's agent or Amazon's.
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/random.h"
#include "services/ecs/arn.h"
#include "services/ecs/capacity/machine_life.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/attributes.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/machines/machine_access.h"
#include "services/ecs/operations.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tags.h"
#include "state/keys.h"

namespace services::ecs {
namespace {

constexpr std::string_view kZone = "ecs.availability-zone";
constexpr std::size_t kMaxAttributes = 200;
constexpr std::size_t kMaxMachineName = 255;
constexpr std::size_t kMaxAttributeText = 128;  // Amazon's
constexpr std::size_t kMaxPorts = 65535;
constexpr std::size_t kMaxDeviceId = 255;
constexpr std::size_t kMaxVersion = 200;
constexpr std::array<std::string_view, 5> kResources = {"CPU", "MEMORY", "PORTS", "PORTS_UDP", "GPU"};

// "instanceId" of the identity document, JSON that Amazon's metadata service signs; ours has no signature.
std::string machine_name(const RegisterContainerInstanceRequest& request) {
  boost::system::error_code error;
  auto document = boost::json::parse(request.instanceIdentityDocument.value_or("{}"), error);
  const boost::json::object* members = error ? nullptr : document.if_object();
  const boost::json::value* id = members ? members->if_contains("instanceId") : nullptr;
  if (id && id->is_string() && !id->as_string().empty()) {
    if (id->as_string().size() > kMaxMachineName) throw invalid_parameter("instanceId longer than 255.");
    return std::string(id->as_string());
  }
  return "i-" + base::random_text(17, "0123456789abcdef");
}

bool is_gpu(const Resource& resource) { return resource.name == "GPU"; }

void check_resource(const Resource& resource) {
  const std::string name = resource.name.value_or("");
  const auto values = resource.stringSetValue.value_or(std::vector<std::string>());
  const bool valid = std::ranges::count(kResources, name) > 0 && resource.integerValue.value_or(0) >= 0 &&
                     values.size() <= kMaxPorts &&
                     std::ranges::all_of(values, [](const std::string& value) { return value.size() <= kMaxDeviceId; });
  if (!valid) throw invalid_parameter("Invalid resource: " + name.substr(0, kMaxDeviceId));
}

// Amazon's agent lists its GPUs in platformDevices only, ours in both.
std::vector<Resource> resources_of(const RegisterContainerInstanceRequest& request) {
  auto resources = request.totalResources.value_or(std::vector<Resource>());
  std::vector<std::string> gpus;
  for (const PlatformDevice& device : request.platformDevices.value_or(std::vector<PlatformDevice>())) {
    if (device.id.size() > kMaxDeviceId) throw invalid_parameter("id of a platform device longer than 255.");
    gpus.push_back(device.id);
  }
  if (gpus.size() > kMaxGpus) throw invalid_parameter("A container instance can have at most 256 GPUs.");
  std::erase_if(resources, is_gpu);
  if (!gpus.empty()) {
    resources.push_back({.name = "GPU",
                         .type = "STRINGSET",
                         .doubleValue = 0,
                         .longValue = 0,
                         .integerValue = 0,
                         .stringSetValue = std::move(gpus)});
  }
  for (Resource& resource : resources) {
    check_resource(resource);
    // Amazon shows every kind of value, of which one counts.
    resource.doubleValue = resource.doubleValue.value_or(0);
    resource.longValue = resource.longValue.value_or(0);
    resource.integerValue = resource.integerValue.value_or(0);
  }
  return resources;
}

// The agent's attributes come first and unchanged; custom ones of a machine that registers again stay.
std::vector<Attribute> attributes_of(const RegisterContainerInstanceRequest& request, const Caller& caller,
                                     const std::vector<Attribute>& before) {
  auto attributes = request.attributes.value_or(std::vector<Attribute>());
  auto has = [&](std::string_view name) {
    return std::any_of(attributes.begin(), attributes.end(), [&](const Attribute& one) { return one.name == name; });
  };
  for (const Attribute& old : before) {
    if (!has(old.name) && !is_built_in_attribute(old.name)) attributes.push_back(old);
  }
  if (!has(kZone)) attributes.push_back({.name = std::string(kZone), .value = caller.region + "a"});
  if (attributes.size() > kMaxAttributes) throw invalid_parameter("A container instance can have at most 200 attributes.");
  for (const Attribute& one : attributes) {
    const bool valid = !one.name.empty() && one.name.size() <= kMaxAttributeText &&
                       one.value.value_or("").size() <= kMaxAttributeText;
    if (!valid) throw invalid_parameter("Invalid attribute: names have 1 to 128 characters, and values at most 128.");
  }
  return attributes;
}

void check_versions(const VersionInfo& versions) {
  for (const auto* text : {&versions.agentVersion, &versions.agentHash, &versions.dockerVersion}) {
    if (text->value_or("").size() > kMaxVersion) throw invalid_parameter("Invalid versionInfo: longer than 200.");
  }
}

void describe(StoredInstance& instance, const RegisterContainerInstanceRequest& request, const Caller& caller) {
  instance.body.attributes =
      attributes_of(request, caller, instance.body.attributes.value_or(std::vector<Attribute>()));
  instance.body.registeredResources = resources_of(request);
  instance.body.versionInfo = request.versionInfo.value_or(VersionInfo());
  check_versions(*instance.body.versionInfo);
  instance.body.tags = add_tags(instance.body.tags.value_or(std::vector<Tag>()),
                                request.tags.value_or(std::vector<Tag>()));
}

// A disconnected instance loses its GPUs to the one that registers them now: the agent of the machine has lost its
// state, and has joined as a new instance.
void take_over(Call& call, const model::InstanceId& owner, const std::string& gpu, bool may_replace) {
  auto former = load_instance(call.tx, owner);
  if (former->connected || !may_replace) {
    throw invalid_parameter(gpu + " is already registered by container instance " + owner.str() + ".");
  }
  deregister(call, *former, "Another container instance has registered " + gpu + ".");
}

// Within an account, a GPU is registered by one instance at a time.
void claim_gpus(Call& call, const StoredInstance& instance, bool may_replace) {
  state::delete_gpus(call.tx, instance.id);
  for (const Resource& resource : *instance.body.registeredResources) {
    if (!is_gpu(resource)) continue;
    for (const std::string& gpu : *resource.stringSetValue) {
      const auto owner = state::gpu_owner(call.tx, call.caller.account, gpu);
      if (owner == instance.id) throw invalid_parameter(gpu + " is listed twice.");
      if (owner) take_over(call, *owner, gpu, may_replace);
      state::insert_gpu(call.tx, call.caller.account, gpu, instance.id);
    }
  }
}

// Whether this name is the caller's alone. Machines with keys of their own choose their names, and two of them may have
// the same host name: GPUs and keys identify the machine that is gone, a name does not.
bool owns_name(Call& call, const StoredInstance& instance, const state::Machine& former) {
  if (!call.caller.machine) return !former.machine_key;
  const auto key = state::find_key(call.tx, call.caller.access_key);
  return key && key->machine == instance.name;
}

// The same machine without its ARN: its agent has lost its state, and no longer owns what ran there. A
// connected machine is another one of the same name.
void replace_former(Call& call, const StoredInstance& instance) {
  for (state::Machine& machine : state::list_disconnected(call.tx, instance.cluster, instance.name)) {
    if (!owns_name(call, instance, machine)) continue;
    StoredInstance former = to_instance(std::move(machine));
    deregister(call, former, "Host EC2 (instance " + former.name + ") was registered again.");
  }
}

std::optional<StoredInstance> find_registered(Call& call, const state::Cluster& cluster,
                                             const RegisterContainerInstanceRequest& request) {
  if (request.containerInstanceArn && !request.containerInstanceArn->empty()) {
    auto instance = load_instance(call.tx, cluster, *request.containerInstanceArn);
    if (!instance || instance->status == model::InstanceStatus::Inactive) {
      throw invalid_parameter("The specified container instance is not registered.");
    }
    check_own_machine(call.caller, *instance);
    return instance;
  }
  if (!request.clientToken) return std::nullopt;
  auto machine = state::find_machine_by_token(call.tx, cluster.number, *request.clientToken);
  if (!machine) return std::nullopt;
  check_own_machine(call.caller, *machine);
  return to_instance(std::move(*machine));
}

}  // namespace

RegisterContainerInstanceResponse register_container_instance(Call& call,
                                                              const RegisterContainerInstanceRequest& request) {
  const auto name = cluster_name(call.caller, request.cluster);
  auto cluster = name ? load_cluster(call, *name) : std::nullopt;
  // Agents check for exactly this text, and create the default cluster then.
  if (!cluster || !cluster->active) throw client_error("Cluster not found.");
  // A machine's key replaces other machines only when it registers for the first time: its agent may have lost an earlier
  // key. Later it replaces none but its own.
  const bool may_replace = !call.caller.machine || !state::has_registered(call.tx, call.caller.access_key);
  auto instance = find_registered(call, *cluster, request);
  const bool known = instance.has_value();
  if (!known) {
    instance.emplace();
    instance->id = model::InstanceId(base::to_hex(base::random_bytes(16)));
    instance->cluster = cluster->number;
    instance->name = machine_name(request);
    instance->client_token = request.clientToken;
    instance->registered_at = instance->connected_at = call.now;
    bind_machine(call, *cluster, *instance);
    if (may_replace) replace_former(call, *instance);
  }
  join_provider(call, *cluster, *instance);
  describe(*instance, request, call.caller);
  // The agent reports its troubles when it connects; Amazon's only once there are any.
  if (!instance->connected) instance->health = {};
  claim_gpus(call, *instance, may_replace);
  if (known) {
    update_instance(call.tx, *instance);
  } else {
    insert_instance(call.tx, *instance);
  }
  put_in_fleet(call, *instance);
  if (!known) publish_instance_change(call, instance->id);
  return {.containerInstance = shown(call.tx, *cluster, *instance, {.tags = true})};
}

std::vector<Operation> registration_operations() {
  return {
      operation<&register_container_instance>("RegisterContainerInstance", Access::Write),
  };
}

}  // namespace services::ecs
