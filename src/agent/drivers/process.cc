// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>

#include "agent/drivers/process_health.h"
#include "agent/drivers/process_limits.h"
#include "agent/drivers/process_spec.h"
#include "agent/drivers/process_state.h"
#include "agent/drivers/shim.h"
#include "agent/drivers/shim_launch.h"
#include "base/log.h"
#include "base/random.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMaxNamePart = 64;
constexpr base::Duration kSettlePause = std::chrono::milliseconds(20);

// Fit to be a part of a path.
std::string plain(std::string_view text) {
  std::string out(text.substr(0, kMaxNamePart));
  for (char& c : out) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  }
  return out.empty() ? "_" : out;
}

std::string task_id(const std::string& arn) { return plain(std::string_view(arn).substr(arn.rfind('/') + 1)); }

base::Error no_such(const std::string& id) { return base::Error{"there is no process " + id}; }

Exit exit_of(const ShimExit& exit) {
  return {exit.code, exit.out_of_memory, exit.error, base::from_millis(exit.at_ms)};
}

Started started_of(const ShimSpec& spec, const ShimStarted& started) {
  Started answer{{}, "", started.pid, base::from_millis(started.at_ms)};
  for (const ShimPort& port : spec.ports) answer.bindings.push_back({"0.0.0.0", port.port, port.port, port.protocol});
  return answer;
}

class ProcessDriver final : public Driver {
 public:
  ProcessDriver(ProcessOptions options, Cgroups cgroups)
      : options_(std::move(options)), cgroups_(std::move(cgroups)), abilities_(abilities_with(cgroups_)) {}

  const Abilities& abilities() const override { return abilities_; }
  asio::awaitable<base::Result<Pulled>> pull(std::string) override { co_return Pulled{}; }
  asio::awaitable<base::Result<std::string>> create(ContainerSpec spec) override { co_return make(spec); }
  asio::awaitable<base::Result<Started>> start(std::string id) override;
  asio::awaitable<base::Result<Exit>> wait(std::string id) override;
  asio::awaitable<base::Result<Nothing>> stop(std::string id, base::Duration grace) override;
  asio::awaitable<base::Result<Nothing>> remove(std::string id) override;
  asio::awaitable<base::Result<Nothing>> clean_up(std::string task_arn) override;
  asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) override;
  asio::awaitable<base::Result<Usage>> usage(std::string id) override;
  asio::awaitable<base::Result<std::vector<Found>>> list() override;

 private:
  struct Sample {
    std::int64_t cpu_nanos = 0;
    Steady::time_point at;
  };

  std::string folder_of(const std::string& id) const { return options_.folder + "/" + id; }
  // None for an id that is no process of ours.
  std::optional<ShimSpec> spec_of(const std::string& id) const;
  std::string task_cgroup(const std::string& task_arn) const {
    return "stoker/" + plain(options_.agent_name) + "/" + task_id(task_arn);
  }
  base::Result<Nothing> make_cgroups(const ContainerSpec& container, const std::string& id, ProcessPlan& plan) const;
  base::Result<std::string> make(const ContainerSpec& spec) const;
  base::Result<ShimSpec> startable(const std::string& id) const;
  asio::awaitable<base::Result<ShimExit>> settle_within(std::string folder, ShimSpec spec, base::Duration patience) const;
  void forget_run(const std::string& id);
  Health& health_of(const std::string& id, const ShimHealthCheck& check);

  ProcessOptions options_;
  Cgroups cgroups_;
  Abilities abilities_;
  // Of what runs; gone with remove().
  std::map<std::string, Sample> samples_;
  std::map<std::string, Health> health_;
};

std::optional<ShimSpec> ProcessDriver::spec_of(const std::string& id) const {
  if (id.empty() || id.find('/') != id.npos || id[0] == '.') return std::nullopt;
  auto spec = read_spec(folder_of(id));
  return spec && spec->agent == options_.agent_name ? spec : std::nullopt;
}

base::Result<Nothing> ProcessDriver::make_cgroups(const ContainerSpec& container, const std::string& id,
                                                  ProcessPlan& plan) const {
  if (cgroups_.kind() == "none") return Nothing{};
  const std::string task = task_cgroup(container.task.arn);
  plan.spec.cgroup = task + "/" + id;
  auto made = cgroups_.make(task, task_limits(container.task));
  if (made) made = cgroups_.make(plan.spec.cgroup, container_limits(container.container, plan));
  if (!made) return made;
  plan.spec.shim_joins = cgroups_.join_files("stoker/" + plain(options_.agent_name) + "/shims");
  plan.spec.joins = cgroups_.join_files(plan.spec.cgroup);
  plan.spec.oom_file = cgroups_.oom_file(plan.spec.cgroup);
  return Nothing{};
}

base::Result<std::string> ProcessDriver::make(const ContainerSpec& spec) const {
  const std::string reason = "CannotCreateContainerError: ";
  auto plan = plan_process(spec, options_);
  if (!plan) return base::Error{reason + plan.error()};
  const std::string id = fmt::format("{}-{}-{}", task_id(spec.task.arn), plain(spec.container.name),
                                     base::random_text(8, "0123456789abcdef"));
  const auto limited = make_cgroups(spec, id, *plan);
  if (!limited) return base::Error{reason + limited.error()};
  const std::string folder = folder_of(id);
  if (::mkdir(folder.c_str(), 0700) != 0) return base::Error{reason + folder + ": " + std::strerror(errno)};
  const auto written = write_part(folder, "spec.json", plan->spec);
  if (!written) return base::Error{reason + written.error()};
  return id;
}

// One that has ended is started anew: a restart policy's, in the same folder and cgroup.
void ProcessDriver::forget_run(const std::string& id) {
  samples_.erase(id);
  health_.erase(id);
  for (const char* name : {"/started.json", "/exit.json"}) ::unlink((folder_of(id) + name).c_str());
}

base::Result<ShimSpec> ProcessDriver::startable(const std::string& id) const {
  auto spec = spec_of(id);
  if (!spec) return no_such(id);
  if (spec->boot_id != boot_id()) return base::Error{"it was made before the machine was started again"};
  if (!spec->command.empty()) return std::move(*spec);
  return base::Error{"the process driver runs entryPoint and command, and the container has neither"};
}

asio::awaitable<base::Result<Started>> ProcessDriver::start(std::string id) {
  const std::string reason = "CannotStartContainerError: ";
  const auto spec = startable(id);
  if (!spec) co_return base::Error{reason + spec.error()};
  const std::string folder = folder_of(id);
  auto started = read_started(folder);
  if (!started || phase_of(folder, *spec) != Phase::Running) {
    forget_run(id);
    auto launched = co_await launch_shim(options_.shim_command, folder);
    if (!launched) co_return base::Error{reason + launched.error()};
    started = *launched;
  }
  co_return started_of(*spec, *started);
}

// What is killed takes its time to go, with a GPU's memory to give back seconds.
asio::awaitable<base::Result<ShimExit>> ProcessDriver::settle_within(std::string folder, ShimSpec spec,
                                                                     base::Duration patience) const {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  const auto end = Steady::now() + patience;
  for (;;) {
    auto exit = settle(folder, spec, cgroups_);
    if (exit || Steady::now() >= end) co_return exit;
    pause.expires_after(kSettlePause);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<base::Result<Exit>> ProcessDriver::wait(std::string id) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such(id);
  const std::string folder = folder_of(id);
  for (;;) {
    while (auto shim = ShimHandle::find(folder)) {
      co_await shim->ended(std::nullopt);
    }
    const Phase phase = phase_of(folder, *spec);
    if (phase == Phase::Created) co_return base::Error{"process " + id + " was not started"};
    auto exit = co_await settle_within(folder, *spec, options_.kill_patience);
    if (exit) co_return exit_of(*exit);
    base::log_error("process does not end", {{"error", exit.error()}});
  }
}

asio::awaitable<base::Result<Nothing>> ProcessDriver::stop(std::string id, base::Duration grace) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such(id);
  const std::string folder = folder_of(id);
  auto shim = ShimHandle::find(folder);
  if (shim) {
    shim->signal(kShimStop);
    bool ended = co_await shim->ended(grace);
    if (!ended) {
      shim->signal(kShimKill);
      ended = co_await shim->ended(options_.kill_patience);
    }
    // Not even the shim answers: it is stopped, or stuck. settle() kills the rest.
    if (!ended) {
      shim->signal(SIGKILL);
      ended = co_await shim->ended(options_.kill_patience);
    }
    if (!ended) co_return base::Error{"the shim of " + id + " was killed and has not ended"};
  }
  if (phase_of(folder, *spec) == Phase::Exited) {
    auto exit = co_await settle_within(folder, *spec, options_.kill_patience);
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
    if (!cgroups_.kill(spec->cgroup)) co_return base::Error{"some of " + id + " has not ended"};
    cgroups_.remove(spec->cgroup);
  }
  samples_.erase(id);
  health_.erase(id);
  std::error_code error;
  std::filesystem::remove_all(folder_of(id), error);
  if (error) co_return base::Error{folder_of(id) + ": " + error.message()};
  co_return Nothing{};
}

asio::awaitable<base::Result<Nothing>> ProcessDriver::clean_up(std::string task_arn) {
  cgroups_.remove(task_cgroup(task_arn));
  co_return Nothing{};
}

Health& ProcessDriver::health_of(const std::string& id, const ShimHealthCheck& check) {
  auto [at, added] = health_.try_emplace(id);
  if (added) at->second.due = Steady::now() + std::chrono::milliseconds(check.interval_ms);
  return at->second;
}

// The checks are run in here, for as long as somebody wants to know.
asio::awaitable<base::Result<std::string>> ProcessDriver::health(std::string id, std::string known) {
  const auto spec = spec_of(id);
  if (!spec) co_return no_such(id);
  const ShimHealthCheck check = spec->health_check.value_or(ShimHealthCheck{});
  while (true) {
    const Health health = health_of(id, check);
    if (health.status != known) co_return health.status;
    auto shim = ShimHandle::find(folder_of(id));
    if (!shim) co_return base::Error{"process " + id + " does not run"};
    std::optional<base::Duration> until_due;
    if (spec->health_check) until_due = std::chrono::ceil<base::Duration>(health.due - Steady::now());
    const bool ended = co_await shim->ended(until_due);
    if (ended) continue;
    const bool passed = co_await run_check(options_.shim_command, folder_of(id), *spec);
    const auto started = read_started(folder_of(id));
    const bool early = started && now_ms() < started->at_ms + check.start_period_ms;
    Health& after = health_of(id, check);
    note_check(after, check, passed, early);
    after.due = Steady::now() + std::chrono::milliseconds(check.interval_ms);
  }
}

asio::awaitable<base::Result<Usage>> ProcessDriver::usage(std::string id) {
  const auto spec = spec_of(id);
  const auto started = read_started(folder_of(id));
  if (!spec || !started) co_return no_such(id);
  auto used = spec->cgroup.empty() ? std::nullopt : cgroups_.usage(spec->cgroup);
  if (!used) used = session_usage(pid_t(started->pid));
  const Sample now{used->cpu_nanos, Steady::now()};
  // The first time: since it was started.
  const Sample first{0, now.at - std::chrono::milliseconds(now_ms() - started->at_ms)};
  const auto last = samples_.find(id);
  const Sample before = last == samples_.end() ? first : last->second;
  samples_[id] = now;
  const double nanos = double(std::chrono::nanoseconds(now.at - before.at).count());
  const double percent = nanos > 0 ? 100.0 * double(now.cpu_nanos - before.cpu_nanos) / nanos : 0;
  co_return Usage{std::max(0.0, percent), used->memory_bytes};
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
  Cgroups cgroups = Cgroups::find();
  if (cgroups.kind() == "none") {
    base::log_warn("processes run without limits: no cgroup can be written", {{"agent", options.agent_name}});
  } else if (auto made = cgroups.make("stoker/" + plain(options.agent_name) + "/shims", {}); !made) {
    return base::Error{made.error()};
  }
  return std::unique_ptr<Driver>(std::make_unique<ProcessDriver>(std::move(options), std::move(cgroups)));
}

}  // namespace agent::drivers
