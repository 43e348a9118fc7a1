// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_spec.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agent/drivers/whole_number.h"

namespace agent::drivers {
namespace {

namespace json = boost::json;

constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::size_t kMaxNamePart = 64;

// Members that are handled elsewhere or have no meaning for a process.
constexpr std::string_view kAcceptedConfig[] = {"User",   "WorkingDir",   "Healthcheck",  "StopSignal", "StopTimeout",
                                                "Labels", "Image",        "Entrypoint",   "Cmd",        "ExposedPorts",
                                                "Env",    "AttachStdout", "AttachStderr", "ArgsEscaped"};
constexpr std::string_view kAcceptedHostConfig[] = {
    "Ulimits", "MemoryReservation", "Memory",     "MemorySwap",   "CpuShares",    "PidsLimit",
    "Init",    "LogConfig",         "Privileged", "NetworkMode",  "PortBindings", "PidMode",
    "IpcMode", "RestartPolicy",     "NanoCpus",   "CgroupParent", "ShmSize"};

bool is_set(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return false;
    case json::kind::bool_: return value.get_bool();
    case json::kind::int64: return value.get_int64() != 0;
    case json::kind::uint64: return value.get_uint64() != 0;
    case json::kind::double_: return value.get_double() != 0;
    case json::kind::string: return !value.get_string().empty();
    case json::kind::array: return !value.get_array().empty();
    case json::kind::object: return !value.get_object().empty();
  }
  return true;
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

std::int64_t number_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_number()) return 0;
  boost::system::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

// Parses the body. Rejects a set member that is not in `accepted`.
template <std::size_t N>
base::Result<json::object> read_body(const std::optional<std::string>& text, const std::string_view (&accepted)[N],
                                     std::string_view what) {
  if (!text || text->empty()) return json::object();
  boost::system::error_code error;
  json::value body = json::parse(*text, error);
  if (error || !body.is_object()) return base::Error{fmt::format("{} is not a JSON object", what)};
  for (const auto& member : body.get_object()) {
    if (std::count(std::begin(accepted), std::end(accepted), std::string_view(member.key())) || !is_set(member.value()))
      continue;
    return base::Error{fmt::format("the process driver does not support {} {}", what, std::string_view(member.key()))};
  }
  return std::move(body.get_object());
}

std::string unsupported_setting(const ContainerSpec& spec) {
  const shapes::agent::Container& container = spec.container;
  const std::string who = fmt::format("container '{}'", container.name);
  if (!container.mountPoints.empty()) {
    return fmt::format("the process driver does not support mounts: {} mounts '{}'", who,
                       container.mountPoints[0].containerPath);
  }
  if (!container.volumesFrom.empty()) {
    return fmt::format("the process driver does not support mounts: {} has volumesFrom '{}'", who,
                       container.volumesFrom[0].sourceContainer);
  }
  if (!container.links.empty()) {
    return fmt::format("the process driver does not support links: {} links to '{}'", who, container.links[0]);
  }
  const std::string network = spec.task.networkMode.value_or("bridge");
  if (network != "bridge" && network != "host") {
    return fmt::format("the process driver does not support networkMode {}: processes use the machine's network",
                       network);
  }
  if (spec.task.ipcMode == "none") return "the process driver does not support ipcMode none";
  for (const shapes::agent::PortMapping& port : container.portMappings) {
    if (port.containerPortRange) return fmt::format("the process driver does not support containerPortRange: {}", who);
    if (port.hostPort != 0 && port.hostPort != port.containerPort) {
      return fmt::format("the process driver does not map ports: {} listens on {}, not on {}", who, port.containerPort,
                         port.hostPort);
    }
  }
  return "";
}

// All processes share the machine's /dev/shm.
bool has_shared_memory(std::int64_t bytes) {
  struct statvfs status {};
  if (bytes <= 0) return true;
  return ::statvfs("/dev/shm", &status) == 0 && std::int64_t(status.f_blocks * status.f_frsize) >= bytes;
}

base::Result<std::vector<ShimLimit>> read_limits(const json::object& host) {
  static const std::map<std::string, int> kResources = {
      {"core", RLIMIT_CORE},         {"cpu", RLIMIT_CPU},
      {"data", RLIMIT_DATA},         {"fsize", RLIMIT_FSIZE},
      {"locks", RLIMIT_LOCKS},       {"memlock", RLIMIT_MEMLOCK},
      {"msgqueue", RLIMIT_MSGQUEUE}, {"nice", RLIMIT_NICE},
      {"nofile", RLIMIT_NOFILE},     {"nproc", RLIMIT_NPROC},
      {"rss", RLIMIT_RSS},           {"rtprio", RLIMIT_RTPRIO},
      {"rttime", RLIMIT_RTTIME},     {"sigpending", RLIMIT_SIGPENDING},
      {"stack", RLIMIT_STACK}};
  std::vector<ShimLimit> limits;
  const json::value* list = host.if_contains("Ulimits");
  if (!list || !list->is_array()) return limits;
  for (const json::value& item : list->get_array()) {
    if (!item.is_object()) continue;
    const std::string name = text_of(item.get_object(), "Name");
    const auto resource = kResources.find(name);
    if (resource == kResources.end()) return base::Error{fmt::format("invalid ulimit type: {}", name)};
    limits.push_back({resource->second, number_of(item.get_object(), "Soft"), number_of(item.get_object(), "Hard")});
  }
  return limits;
}

// "SIGINT", "INT" or "2".
base::Result<std::int32_t> read_signal(const std::string& text) {
  if (text.empty()) return std::int32_t(SIGTERM);
  if (const auto number = whole_number(text); number && *number > 0 && *number < NSIG) return std::int32_t(*number);
  for (int signal = 1; signal < 32; ++signal) {
    const char* name = ::sigabbrev_np(signal);
    if (name && (text == name || text == std::string("SIG") + name)) return std::int32_t(signal);
  }
  return base::Error{fmt::format("invalid signal: {}", text)};
}

// Docker's {"Test": ["CMD", ...]}, with ECS's defaults.
std::optional<ShimHealthCheck> read_health_check(const json::object& config) {
  const json::value* value = config.if_contains("Healthcheck");
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& check = value->get_object();
  const json::value* test = check.if_contains("Test");
  std::vector<std::string> words;
  if (test && test->is_array()) {
    for (const json::value& word : test->get_array()) {
      if (word.is_string()) words.emplace_back(word.get_string());
    }
  }
  if (words.size() < 2 || words[0] == "NONE") return std::nullopt;
  if (words[0] == "CMD-SHELL") words = {"CMD", "/bin/sh", "-c", words[1]};
  auto millis = [&](std::string_view name, std::int64_t default_ms) {
    const std::int64_t nanos = number_of(check, name);
    return nanos > 0 ? std::max<std::int64_t>(1, nanos / kNanosPerMilli) : default_ms;
  };
  const auto retries = std::int32_t(std::clamp<std::int64_t>(number_of(check, "Retries"), 0, 100));
  return ShimHealthCheck{{words.begin() + 1, words.end()},
                         millis("Interval", 30'000),
                         millis("Timeout", 5'000),
                         millis("StartPeriod", 0),
                         retries > 0 ? retries : 3};
}

}  // namespace

std::string path_part(std::string_view text) {
  std::string out(text.substr(0, kMaxNamePart));
  for (char& c : out) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  }
  return out.empty() ? "_" : out;
}

std::string task_path_part(const std::string& arn) {
  return path_part(std::string_view(arn).substr(arn.rfind('/') + 1));
}

std::vector<ShimPath> visible_paths(const ContainerSpec& container, const ProcessOptions& options) {
  std::vector<ShimPath> paths;
  if (!container.work_folder.empty()) paths.push_back({container.work_folder, true});
  if (!options.tool_folder.empty()) paths.push_back({options.tool_folder, false});
  for (const std::string& folder : container.mps_folders) paths.push_back({folder, true});
  if (!is_worker(container.container.dockerConfig.config)) return paths;
  for (const std::string& program : options.programs.files) paths.push_back({program, false});
  return paths;
}

base::Result<ProcessPlan> plan_process(const ContainerSpec& container, const ProcessOptions& options,
                                       const TaskIsolation& isolation) {
  if (const std::string reason = unsupported_setting(container); !reason.empty()) return base::Error{reason};
  const shapes::agent::DockerConfig& bodies = container.container.dockerConfig;
  auto config = read_body(bodies.config, kAcceptedConfig, "config");
  if (!config) return base::Error{config.error()};
  auto host = read_body(bodies.hostConfig, kAcceptedHostConfig, "hostConfig");
  if (!host) return base::Error{host.error()};
  if (!has_shared_memory(number_of(*host, "ShmSize"))) {
    return base::Error{"the process driver does not support a hostConfig ShmSize larger than the machine's /dev/shm"};
  }
  auto limits = read_limits(*host);
  if (!limits) return base::Error{limits.error()};
  auto stop_signal = read_signal(text_of(*config, "StopSignal"));
  if (!stop_signal) return base::Error{stop_signal.error()};
  // Last, as it claims a user.
  const auto account = isolation.account(task_path_part(container.task.arn), text_of(*config, "User"), container);
  if (!account) return base::Error{account.error()};

  ProcessPlan plan;
  plan.memory_and_swap_bytes = number_of(*host, "MemorySwap");
  plan.reservation_bytes = number_of(*host, "MemoryReservation");
  plan.pids = std::max<std::int64_t>(0, number_of(*host, "PidsLimit"));
  ShimSpec& spec = plan.spec;
  spec.agent = options.agent_name;
  spec.task_arn = container.task.arn;
  spec.container = container.container.name;
  spec.boot_id = boot_id();
  for (const auto& port : container.container.portMappings) spec.ports.push_back({port.containerPort, port.protocol});
  spec.health_check = read_health_check(*config);
  for (const auto* words : {&container.container.entryPoint, &container.container.command}) {
    if (*words) spec.command.insert(spec.command.end(), (*words)->begin(), (*words)->end());
  }
  if (is_worker(container.container.dockerConfig.config)) {
    spec.command = worker_command(std::move(spec.command), options.programs);
  }
  spec.environment = process_environment(container, options, *account);
  spec.work_folder = text_of(*config, "WorkingDir");
  spec.must_have_work_folder = !spec.work_folder.empty();
  if (spec.work_folder.empty()) spec.work_folder = container.work_folder;
  spec.user = account->user;
  spec.isolation = isolation.isolation(*account, visible_paths(container, options));
  spec.limits = std::move(*limits);
  spec.stop_signal = *stop_signal;
  spec.log_file = container.log_file;
  return plan;
}

}  // namespace agent::drivers
