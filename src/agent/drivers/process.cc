// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>

#include "agent/drivers/cpu_percent.h"
#include "agent/drivers/process_attach.h"
#include "agent/drivers/process_exec.h"
#include "agent/drivers/process_health.h"
#include "agent/drivers/process_limits.h"
#include "agent/drivers/process_spec.h"
#include "agent/drivers/process_state.h"
#include "agent/drivers/shim.h"
#include "agent/drivers/shim_launch.h"
#include "agent/drivers/sleep.h"
#include "base/log.h"
#include "base/random.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

constexpr base::Duration kSettlePause = std::chrono::milliseconds(20);
constexpr base::Duration kSettleTimeout = std::chrono::seconds(15);  // for killed processes to end

base::Error no_such_process(const std::string& id) { return base::Error{"no such process: " + id}; }

Exit to_exit(const ShimExit& exit) {
  return {exit.code, exit.out_of_memory, exit.error, base::from_millis(exit.at_ms)};
}

Started to_started(const ShimSpec& spec, const ShimStarted& started) {
  Started result{{}, "", started.pid, base::from_millis(started.at_ms)};
  for (const ShimPort& port : spec.ports) result.bindings.push_back({"0.0.0.0", port.port, port.port, port.protocol});
  return result;
}

class ProcessDriver final : public Driver {
 public:
  ProcessDriver(ProcessOptions options, Cgroups cgroups, TaskIsolation isolation)
      : options_(std::move(options)),
        cgroups_(std::move(cgroups)),
        isolation_(std::move(isolation)),
        abilities_(process_abilities(cgroups_, options_.programs)) {}

  const Abilities& abilities() const override { return abilities_; }
  asio::awaitable<base::Result<Pulled>> pull(std::string, OnPullProgress) override { co_return Pulled{}; }
  asio::awaitable<base::Result<std::string>> create(ContainerSpec spec) override { co_return create_folder(spec); }
  asio::awaitable<base::Result<Started>> start(std::string id) override;
  asio::awaitable<base::Result<Exit>> wait(std::string id) override;
  asio::awaitable<base::Result<Nothing>> stop(std::string id, base::Duration grace) override;
  asio::awaitable<base::Result<Nothing>> remove(std::string id) override;
  asio::awaitable<void> end_task(std::string task_arn) override;
  asio::awaitable<base::Result<Nothing>> clean_up(std::string task_arn) override;
  asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) override;
  asio::awaitable<base::Result<Usage>> usage(std::string id) override;
  asio::awaitable<base::Result<std::vector<Found>>> list() override;
  asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> exec(std::string id, ExecRequest request) override;

 private:
  struct Sample {
    std::int64_t cpu_nanos = 0;
    Steady::time_point at;
  };

  std::string folder_of(const std::string& id) const { return options_.folder + "/" + id; }
  // None when the id is not one of this agent's processes.
  std::optional<ShimSpec> spec_of(const std::string& id) const;
  std::string task_cgroup(const std::string& task_arn) const {
    return "stoker/" + path_part(options_.agent_name) + "/" + task_path_part(task_arn);
  }
  base::Result<Nothing> create_cgroups(const ContainerSpec& container, const std::string& id, ProcessPlan& plan) const;
  base::Result<std::string> create_folder(const ContainerSpec& spec) const;
  base::Result<Nothing> make_tmp(const std::string& folder, ShimSpec& spec) const;
  base::Result<ShimSpec> spec_to_start(const std::string& id) const;
  asio::awaitable<base::Result<ShimExit>> settle_in_time(std::string folder, ShimSpec spec) const;
  asio::awaitable<bool> kill_cgroup(std::string path) const;
  asio::awaitable<bool> kill_user_of(std::string task_arn) const;
  void forget_run(const std::string& id);
  HealthState& health_of(const std::string& id, const ShimHealthCheck& check);

  ProcessOptions options_;
  Cgroups cgroups_;
  TaskIsolation isolation_;
  Abilities abilities_;
  // Of running processes; remove() erases them.
  std::map<std::string, Sample> samples_;
  std::map<std::string, HealthState> health_;
};

std::optional<ShimSpec> ProcessDriver::spec_of(const std::string& id) const {
  if (id.empty() || id.find('/') != id.npos || id[0] == '.') return std::nullopt;
  auto spec = read_spec(folder_of(id));
  return spec && spec->agent == options_.agent_name ? spec : std::nullopt;
}

base::Result<Nothing> ProcessDriver::create_cgroups(const ContainerSpec& container, const std::string& id,
                                                    ProcessPlan& plan) const {
  if (cgroups_.kind() == "none") return Nothing{};
  const std::string task = task_cgroup(container.task.arn);
  plan.spec.cgroup = task + "/" + id;
  auto created = cgroups_.create(task, task_limits(container.task));
  if (created) created = cgroups_.create(plan.spec.cgroup, container_limits(container.container, plan));
  if (!created) return created;
  plan.spec.shim_joins = cgroups_.join_files("stoker/" + path_part(options_.agent_name) + "/shims");
  plan.spec.joins = cgroups_.join_files(plan.spec.cgroup);
  plan.spec.oom_file = cgroups_.oom_file(plan.spec.cgroup);
  return Nothing{};
}

base::Result<Nothing> ProcessDriver::make_tmp(const std::string& folder, ShimSpec& spec) const {
  if (!spec.isolation || !spec.isolation->mounts) return Nothing{};
  spec.isolation->tmp = folder + "/tmp";
  const char* tmp = spec.isolation->tmp.c_str();
  if (::mkdir(tmp, 0700) != 0 || ::chmod(tmp, 01777) != 0) {
    return base::Error{spec.isolation->tmp + ": " + std::strerror(errno)};
  }
  return Nothing{};
}

base::Result<std::string> ProcessDriver::create_folder(const ContainerSpec& spec) const {
  const std::string reason = "CannotCreateContainerError: ";
  auto plan = plan_process(spec, options_, isolation_);
  if (!plan) return base::Error{reason + plan.error()};
  const std::string id = fmt::format("{}-{}-{}", task_path_part(spec.task.arn), path_part(spec.container.name),
                                     base::random_text(8, "0123456789abcdef"));
  const auto limited = create_cgroups(spec, id, *plan);
  if (!limited) return base::Error{reason + limited.error()};
  const std::string folder = folder_of(id);
  if (::mkdir(folder.c_str(), 0700) != 0) return base::Error{reason + folder + ": " + std::strerror(errno)};
  const auto made = make_tmp(folder, plan->spec);
  if (!made) return base::Error{reason + made.error()};
  const auto written = write_part(folder, "spec.json", plan->spec);
  if (!written) return base::Error{reason + written.error()};
  return id;
}

// For a restart of an ended process in the same folder and cgroup.
void ProcessDriver::forget_run(const std::string& id) {
  samples_.erase(id);
  health_.erase(id);
  for (const char* name : {"/started.json", "/exit.json"}) ::unlink((folder_of(id) + name).c_str());
}

base::Result<ShimSpec> ProcessDriver::spec_to_start(const std::string& id) const {
  auto spec = spec_of(id);
  if (!spec) return no_such_process(id);
  if (spec->boot_id != boot_id()) return base::Error{"it was created before the machine rebooted"};
  if (!spec->command.empty()) return std::move(*spec);
  return base::Error{"the process driver runs entryPoint and command, and the container has neither"};
}

asio::awaitable<base::Result<Started>> ProcessDriver::start(std::string id) {
  const std::string reason = "CannotStartContainerError: ";
  const auto spec = spec_to_start(id);
  if (!spec) co_return base::Error{reason + spec.error()};
  const std::string folder = folder_of(id);
  auto started = read_started(folder);
  if (!started || phase_of(folder, *spec) != Phase::Running) {
    forget_run(id);
    auto launched = co_await launch_shim(options_.shim_command, folder);
    if (!launched) co_return base::Error{reason + launched.error()};
    started = *launched;
  }
  co_return to_started(*spec, *started);
}

// A killed process takes time to end: seconds when it has GPU memory to release.
asio::awaitable<base::Result<ShimExit>> ProcessDriver::settle_in_time(std::string folder, ShimSpec spec) const {
  const auto end = Steady::now() + kSettleTimeout;
  for (;;) {
    auto exit = settle(folder, spec, cgroups_);
    if (exit || Steady::now() >= end) co_return exit;
    co_await sleep_for(kSettlePause);
  }
}

asio::awaitable<bool> ProcessDriver::kill_cgroup(std::string path) const {
  if (path.empty()) co_return true;
  const auto end = Steady::now() + kSettleTimeout;
  for (;;) {
    const bool empty = cgroups_.kill(path);
    if (empty || Steady::now() >= end) co_return empty;
    co_await sleep_for(kSettlePause);
  }
}

// What has left its session survives a shim that was killed, where there are no cgroups. It still has the task's user.
asio::awaitable<bool> ProcessDriver::kill_user_of(std::string task_arn) const {
  const auto end = Steady::now() + kSettleTimeout;
  for (;;) {
    const bool none = isolation_.kill_user(task_path_part(task_arn));
    if (none || Steady::now() >= end) co_return none;
    co_await sleep_for(kSettlePause);
  }
}

asio::awaitable<base::Result<Exit>> ProcessDriver::wait(std::string id) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such_process(id);
  const std::string folder = folder_of(id);
  for (;;) {
    while (auto shim = ShimHandle::find(folder)) {
      co_await shim->ended(std::nullopt);
    }
    const Phase phase = phase_of(folder, *spec);
    if (phase == Phase::Created) co_return base::Error{"process " + id + " was not started"};
    auto exit = co_await settle_in_time(folder, *spec);
    if (exit) {
      // Commands that were executed in the task are not children of its shim. They hold its GPUs, too.
      [[maybe_unused]] const bool empty = co_await kill_cgroup(spec->cgroup);
      co_return to_exit(*exit);
    }
    base::log_error("killed process is still running", {{"error", exit.error()}});
  }
}

asio::awaitable<base::Result<Nothing>> ProcessDriver::stop(std::string id, base::Duration grace) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such_process(id);
  const std::string folder = folder_of(id);
  auto shim = ShimHandle::find(folder);
  if (shim) {
    shim->signal(kShimStop);
    bool ended = co_await shim->ended(grace);
    if (!ended) {
      shim->signal(kShimKill);
      ended = co_await shim->ended(options_.kill_timeout);
    }
    // The shim is stopped or stuck. settle() kills the rest.
    if (!ended) {
      shim->signal(SIGKILL);
      ended = co_await shim->ended(kSettleTimeout);
    }
    if (!ended) co_return base::Error{"the shim of " + id + " was killed but is still running"};
  }
  if (phase_of(folder, *spec) == Phase::Exited) {
    auto exit = co_await settle_in_time(folder, *spec);
    if (!exit) co_return base::Error{exit.error()};
  }
  co_return Nothing{};
}

asio::awaitable<base::Result<Nothing>> ProcessDriver::remove(std::string id) {
  const auto spec = spec_of(id);
  if (!spec) co_return Nothing{};
  auto stopped = co_await stop(id, base::Duration(0));
  if (!stopped) co_return stopped;
  if (!spec->cgroup.empty()) {
    const bool killed = co_await kill_cgroup(spec->cgroup);
    if (!killed) co_return base::Error{"some processes of " + id + " are still running"};
    cgroups_.remove(spec->cgroup);
  }
  samples_.erase(id);
  health_.erase(id);
  std::error_code error;
  std::filesystem::remove_all(folder_of(id), error);
  if (error) co_return base::Error{folder_of(id) + ": " + error.message()};
  co_return Nothing{};
}

// Containers are kept for hours; what they left in /tmp is not.
asio::awaitable<void> ProcessDriver::end_task(std::string task_arn) {
  const bool ended = co_await kill_user_of(task_arn);
  if (!ended) base::log_error("killed processes are still running", {{"task", task_arn}});
  const auto found = co_await list();
  if (!found) co_return;
  for (const Found& process : *found) {
    std::error_code ignored;
    if (process.task_arn == task_arn) std::filesystem::remove_all(folder_of(process.id) + "/tmp", ignored);
  }
}

asio::awaitable<base::Result<Nothing>> ProcessDriver::clean_up(std::string task_arn) {
  // The next task of this number must not meet processes of this one.
  const bool ended = co_await kill_user_of(task_arn);
  if (!ended) co_return base::Error{"some processes of the task's user are still running"};
  cgroups_.remove(task_cgroup(task_arn));
  isolation_.release(task_path_part(task_arn));
  co_return Nothing{};
}

HealthState& ProcessDriver::health_of(const std::string& id, const ShimHealthCheck& check) {
  auto [at, added] = health_.try_emplace(id);
  if (added) at->second.due = Steady::now() + std::chrono::milliseconds(check.interval_ms);
  return at->second;
}

// Runs the checks, while a caller waits for the result.
asio::awaitable<base::Result<std::string>> ProcessDriver::health(std::string id, std::string known) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such_process(id);
  const ShimHealthCheck check = spec->health_check.value_or(ShimHealthCheck{});
  while (true) {
    const HealthState health = health_of(id, check);
    if (health.status != known) co_return health.status;
    auto shim = ShimHandle::find(folder_of(id));
    if (!shim) co_return base::Error{"process " + id + " is not running"};
    std::optional<base::Duration> until_due;
    if (spec->health_check) until_due = std::chrono::ceil<base::Duration>(health.due - Steady::now());
    const bool ended = co_await shim->ended(until_due);
    if (ended) continue;
    const bool passed = co_await run_check(options_.shim_command, folder_of(id), *spec);
    const auto started = read_started(folder_of(id));
    const bool early = started && now_ms() < started->at_ms + check.start_period_ms;
    HealthState& after = health_of(id, check);
    record_check(after, check, passed, early);
    after.due = Steady::now() + std::chrono::milliseconds(check.interval_ms);
  }
}

asio::awaitable<base::Result<Usage>> ProcessDriver::usage(std::string id) {
  const auto spec = spec_of(id);
  const auto started = read_started(folder_of(id));
  if (!spec || !started) co_return no_such_process(id);
  auto used = spec->cgroup.empty() ? std::nullopt : cgroups_.usage(spec->cgroup);
  if (!used) used = session_usage(pid_t(started->pid));
  const Sample now{used->cpu_nanos, Steady::now()};
  // The first sample counts from the start of the process.
  const Sample first{0, now.at - std::chrono::milliseconds(now_ms() - started->at_ms)};
  const auto last = samples_.find(id);
  const Sample before = last == samples_.end() ? first : last->second;
  samples_[id] = now;
  const double percent = cpu_percent(now.cpu_nanos - before.cpu_nanos, std::chrono::nanoseconds(now.at - before.at));
  co_return Usage{percent, used->memory_bytes};
}

asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> ProcessDriver::exec(std::string id, ExecRequest request) {
  const auto spec = spec_of(id);
  const auto started = read_started(folder_of(id));
  const bool runs = spec && started && phase_of(folder_of(id), *spec) == Phase::Running;
  if (!runs) co_return base::Error{"the container is not running"};
  if (request.attach) co_return attach_to_process(folder_of(id), *spec, request);
  ExecSpec exec;
  exec.target = started->pid;
  exec.target_ticks = started->start_ticks;
  exec.joins = spec->joins;
  exec.isolation = spec->isolation;
  auto stream = co_await exec_in_process(options_.exec_command, std::move(exec), std::move(request));
  co_return std::move(stream);
}

asio::awaitable<base::Result<std::vector<Found>>> ProcessDriver::list() {
  std::vector<Found> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder, error)) {
    const std::string id = entry.path().filename();
    const auto spec = spec_of(id);
    if (spec) found.push_back({id, spec->task_arn, spec->container, phase_of(folder_of(id), *spec)});
  }
  if (error) co_return base::Error{options_.folder + ": " + error.message()};
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
  co_return found;
}

}  // namespace

base::Result<std::unique_ptr<Driver>> open_process(ProcessOptions options) {
  std::error_code error;
  options.folder = std::filesystem::absolute(options.folder, error).string();
  std::filesystem::create_directories(options.folder, error);
  if (error) return base::Error{options.folder + ": " + error.message()};
  ::chmod(options.folder.c_str(), 0700);
  auto isolation = TaskIsolation::open(options.isolation, options.folder);
  if (!isolation) return base::Error{isolation.error()};
  base::log_info("tasks are processes of this machine", {{"isolation", isolation->statement()}});
  Cgroups cgroups = Cgroups::find();
  if (cgroups.kind() == "none") {
    base::log_warn("processes run without limits: no writable cgroup", {{"agent", options.agent_name}});
  } else if (auto created = cgroups.create("stoker/" + path_part(options.agent_name) + "/shims", {}); !created) {
    return base::Error{created.error()};
  }
  return std::unique_ptr<Driver>(std::make_unique<ProcessDriver>(std::move(options), std::move(cgroups), std::move(*isolation)));
}

}  // namespace agent::drivers
