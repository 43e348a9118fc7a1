// SPDX-License-Identifier: Apache-2.0
#include "agent/registration.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "agent/durable_file.h"
#include "base/log.h"
#include "base/random.h"
#include "model/resources.h"
#include "shapes/ecs/cluster.h"
#include "shapes/ecs/errors.h"
#include "wire/error.h"
#include "wire/json.h"

namespace agent {
namespace asio = boost::asio;
namespace ecs = shapes::ecs;
namespace {

constexpr wire::Service kService{.name = "ecs",
                                 .target_prefix = "AmazonEC2ContainerServiceV20141113",
                                 .api_version = "2014-11-13",
                                 .errors = ecs::kErrors};

// The ports that Amazon's agent reserves: ssh, Docker, and its own two.
const std::vector<std::string> kReservedPorts = {"22", "2375", "2376", "51678", "51679"};

ecs::Resource integer_resource(std::string name, std::int64_t value) {
  return {.name = std::move(name), .type = "INTEGER", .integerValue = static_cast<std::int32_t>(value)};
}
ecs::Resource string_set_resource(std::string name, std::vector<std::string> values) {
  return {.name = std::move(name), .type = "STRINGSET", .stringSetValue = std::move(values)};
}

std::vector<ecs::Attribute> attributes_of(const Options& options, const drivers::Abilities& abilities,
                                          const std::vector<gpu::Gpu>& gpus) {
  std::map<std::string, std::string> named = options.attributes;
  auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) named.emplace(name, value);
  };
  set("ecs.os-type", "linux");
  set("ecs.cpu-architecture", cpu_architecture());
  set("ecs.availability-zone", options.availability_zone.empty() ? options.region + "a" : options.availability_zone);
  set("ecs.instance-type", options.instance_type);
  set("stoker.agent", options.version);
  set("stoker.driver", abilities.name);
  if (!gpus.empty()) set("stoker.gpu-model", gpus.front().model);
  std::vector<ecs::Attribute> attributes;
  for (const auto& [name, value] : named) attributes.push_back({.name = name, .value = value});
  for (const std::string& ability : std::set(abilities.attributes.begin(), abilities.attributes.end())) {
    if (!named.contains(ability)) attributes.push_back({.name = ability});
  }
  return attributes;
}

std::string identity_document(const Options& options) {
  std::string document = R"({"instanceId":)";
  wire::write_json_string(options.name, document);
  document += R"(,"region":)";
  wire::write_json_string(options.region, document);
  document += R"(,"instanceType":)";
  wire::write_json_string(options.instance_type, document);
  return document + "}";
}

}  // namespace

const client::Target kEcs{kService, "ecs", wire::Protocol::Json11};

HostSize host_size() {
  const std::int64_t bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return {::sysconf(_SC_NPROCESSORS_ONLN), bytes / (1024 * 1024)};
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

std::string cpu_architecture() {
  utsname names;
  if (::uname(&names) != 0) return "x86_64";
  const std::string machine = names.machine;
  return machine == "aarch64" ? "arm64" : machine;
}

ecs::RegisterContainerInstanceRequest describe_machine(const Options& options, const HostSize& host,
                                                       const drivers::Abilities& abilities,
                                                       const std::vector<gpu::Gpu>& gpus) {
  std::vector<std::string> gpu_ids;
  std::vector<ecs::PlatformDevice> devices;
  for (const gpu::Gpu& gpu : gpus) {
    gpu_ids.push_back(gpu.id);
    devices.push_back({.id = gpu.id, .type = "GPU"});
  }
  const std::int64_t memory = options.memory_mib.value_or(host.memory_mib - options.reserved_memory_mib);
  ecs::RegisterContainerInstanceRequest request;
  request.cluster = options.cluster;
  request.instanceIdentityDocument = identity_document(options);
  request.totalResources = std::vector<ecs::Resource>{
      integer_resource("CPU", options.cpu_units.value_or(host.cores * model::kCpuUnitsPerCore)),
      integer_resource("MEMORY", std::max<std::int64_t>(memory, 0)),
      string_set_resource("PORTS", kReservedPorts),
      string_set_resource("PORTS_UDP", {}),
      string_set_resource("GPU", std::move(gpu_ids)),
  };
  request.versionInfo = ecs::VersionInfo{.agentVersion = options.version,
                                         .agentHash = "stoker-" + options.version,
                                         .dockerVersion = abilities.name + ": " + abilities.version};
  request.attributes = attributes_of(options, abilities, gpus);
  request.platformDevices = std::move(devices);
  for (const auto& [key, value] : options.tags) {
    if (!request.tags) request.tags.emplace();
    request.tags->push_back({.key = key, .value = value});
  }
  return request;
}

bool is_key_retired(const std::string& code) { return code == "ExpiredTokenException"; }

bool is_key_unknown(const std::string& code) { return code == "UnrecognizedClientException"; }

bool is_instance_gone(const std::string& code, const std::string& message) {
  if (code == "InactiveInstanceException" || code == "InvalidInstanceException") return true;
  // RegisterContainerInstance's message for a deregistered instance.
  return code == "InvalidParameterException" && message.find("container instance is not registered") != message.npos;
}

Registration::Registration(const Options& options, client::AsyncClient& calls)
    : options_(options), calls_(calls), path_(options.data + "/instance.json") {
  if (std::optional<std::string> text = read_file(path_)) {
    try {
      wire::read_json(wire::type_of<InstanceFile>(), *text, &file_);
    } catch (const wire::ApiError&) {
      base::log_error("damaged instance file ignored", {{"file", path_}});
      file_ = {};
    }
  }
  const bool other_key = !file_.accessKeyId.empty() && file_.accessKeyId != options_.credentials.access_key;
  moved_ = other_key || (!file_.cluster.empty() && file_.cluster != options_.cluster);
  if (moved_) file_ = {};
}

void Registration::save() {
  std::string text;
  wire::write_json(wire::type_of<InstanceFile>(), &file_, text);
  write_durably(path_, text);
}

void Registration::forget() {
  file_ = {};
  save();
}

asio::awaitable<void> Registration::create_default_cluster() {
  ecs::CreateClusterRequest request;
  request.clusterName = options_.cluster;
  auto created = co_await calls_.call<ecs::CreateClusterResponse>(kEcs, "CreateCluster", std::move(request));
  base::log_info("cluster created", {{"cluster", options_.cluster}});
}

asio::awaitable<void> Registration::register_as(ecs::RegisterContainerInstanceRequest machine) {
  if (file_.clientToken.empty()) {
    file_.clientToken = base::random_uuid();
    file_.cluster = options_.cluster;
    file_.accessKeyId = options_.credentials.access_key;
    save();  // before the request, whose response may be lost
  }
  machine.clientToken = file_.clientToken;
  if (!file_.containerInstanceArn.empty()) machine.containerInstanceArn = file_.containerInstanceArn;
  ecs::RegisterContainerInstanceResponse answer;
  bool no_cluster = false;
  try {
    ecs::RegisterContainerInstanceRequest first = machine;
    auto answered = co_await calls_.call<ecs::RegisterContainerInstanceResponse>(kEcs, "RegisterContainerInstance",
                                                                                 std::move(first));
    answer = std::move(answered);
  } catch (const wire::ApiError& error) {
    no_cluster = error.code() == "ClientException" && error.message() == "Cluster not found.";
    if (!no_cluster || options_.cluster != "default") throw;
  }
  if (no_cluster) {
    co_await create_default_cluster();
    auto answered = co_await calls_.call<ecs::RegisterContainerInstanceResponse>(kEcs, "RegisterContainerInstance",
                                                                                 std::move(machine));
    answer = std::move(answered);
  }
  if (!answer.containerInstance || !answer.containerInstance->containerInstanceArn) {
    throw std::runtime_error("the response to RegisterContainerInstance has no ARN");
  }
  file_.containerInstanceArn = *answer.containerInstance->containerInstanceArn;
  save();
  base::log_info("registered", {{"instance", file_.containerInstanceArn}, {"cluster", options_.cluster}});
}

}  // namespace agent
