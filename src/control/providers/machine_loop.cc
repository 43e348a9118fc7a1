// SPDX-License-Identifier: Apache-2.0
#include "control/providers/machine_loop.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <filesystem>
#include <future>

#include "base/file.h"
#include "base/log.h"
#include "control/providers/child_process.h"
#include "control/providers/machine_report.h"
#include "control/providers/user_data.h"

namespace control::providers {
namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace {

constexpr base::Duration kFirstRetry = std::chrono::seconds(1), kLongestRetry = std::chrono::minutes(1);

base::Duration retry_pause(int failures) {
  base::Duration pause = kFirstRetry;
  for (int i = 1; i < failures && pause < kLongestRetry; ++i) pause *= 2;
  return std::min(pause, kLongestRetry);
}

// Nobody else may look into it.
void make_folder(const fs::path& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
}

// For the machine's agent only: mode 0600, in a folder of mode 0700.
void write_token(const Machine& machine) {
  make_folder(fs::path(machine.folder).parent_path());
  make_folder(machine.folder);
  fs::remove(machine.token_file());
  base::File::create(machine.token_file()).write_all(machine.token + "\n");
}

void remove_folder(const std::string& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) base::log_error("folder of a machine not deleted", {{"folder", folder}, {"error", failed.message()}});
}

}  // namespace

MachineLoop::MachineLoop(http::IoThreads& io, api::Engine& engine, std::unique_ptr<InstanceProvider> provider,
                         MachineLoopSettings settings)
    : io_(io),
      engine_(engine),
      provider_(std::move(provider)),
      settings_(std::move(settings)),
      home_(io_.at(0).get_executor()),
      actions_(home_),
      watches_(home_) {}

MachineLoop::~MachineLoop() {
  std::promise<void> actions, watches;
  asio::post(home_, [&] {
    actions_.cancel_all([&actions] { actions.set_value(); });
    watches_.cancel_all([&watches] { watches.set_value(); });
  });
  actions.get_future().wait();
  watches.get_future().wait();
  // The last completion handler may still be returning.
  std::promise<void> idle;
  asio::post(home_, [&idle] { idle.set_value(); });
  idle.get_future().wait();
}

api::Loop MachineLoop::loop() {
  return {"machines", std::string(state::kMachinesTopic), std::bind_front(&MachineLoop::turn, this)};
}

asio::awaitable<std::optional<base::Time>> MachineLoop::turn() {
  auto work = turn_at_home();
  std::optional<base::Time> next = co_await asio::co_spawn(home_, std::move(work), asio::use_awaitable);
  co_return next;
}

asio::awaitable<std::optional<base::Time>> MachineLoop::turn_at_home() {
  std::vector<state::Ec2Instance> instances;
  api::Engine::Work look = [&](services::Call& call) { instances = state::list_ec2_machines(call.tx); };
  services::Caller nobody;
  co_await engine_.run(services::Access::Read, nobody, std::move(look));
  if (first_turn_) remove_old_folders(instances);
  first_turn_ = false;
  for (const state::Ec2Instance& instance : instances) dispatch(instance);
  forget_retries(instances);
  co_return next_retry();
}

// Of instances that are gone.
void MachineLoop::forget_retries(const std::vector<state::Ec2Instance>& instances) {
  if (retries_.empty()) return;
  std::set<std::string_view> present;
  for (const state::Ec2Instance& instance : instances) present.insert(instance.id);
  std::erase_if(retries_, [&](const auto& one) { return !present.contains(one.first) && !actions_.contains(one.first); });
}

// One that is due and has not begun waits for the end of another action, which wakes this loop.
std::optional<base::Time> MachineLoop::next_retry() const {
  const base::Time now = engine_.clock().now();
  std::optional<base::Time> next;
  for (const auto& [id, retry] : retries_) {
    if (retry.at > now && !actions_.contains(id)) next = std::min(next.value_or(retry.at), retry.at);
  }
  return next;
}

// Of instances that ended just before the server did.
void MachineLoop::remove_old_folders(const std::vector<state::Ec2Instance>& instances) {
  std::error_code failed;
  for (fs::directory_iterator at(settings_.folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string id = at->path().filename();
    if (std::ranges::find(instances, id, &state::Ec2Instance::id) == instances.end()) remove_folder(at->path());
  }
}

void MachineLoop::dispatch(const state::Ec2Instance& instance) {
  const std::string& id = instance.id;
  // Most of them, in a large fleet: nothing to do but to go on watching.
  if (instance.state == state::Ec2State::Running && watches_.contains(id)) return;
  const MachineRecord record = read_record(instance.machine_json);
  const Step step = next_step(instance.state, record, provider_->name());
  if (step == Step::None && foreign_.insert(id).second) {
    base::log_warn("machine of another provider left alone", {{"instance", id}, {"provider", record.provider}});
  }
  if (step == Step::Stop) watches_.cancel(id);
  if (step == Step::None || actions_.contains(id)) return;
  if (step == Step::Watch) {
    if (!watches_.contains(id)) watches_.spawn(id, watch(id));
    return;
  }
  const auto retry = retries_.find(id);
  if (retry != retries_.end() && retry->second.at > engine_.clock().now()) return;
  begin(id, step);
}

void MachineLoop::begin(const std::string& id, Step step) {
  std::size_t& count = step == Step::Start ? starts_ : stops_;
  if (count >= (step == Step::Start ? kMaxStarts : kMaxStops)) return;
  ++count;
  // The next turn finds what had to wait, and what has changed meanwhile.
  auto ended = [this, &count] {
    --count;
    engine_.topics().wake(std::string(state::kMachinesTopic));
  };
  actions_.spawn(id, act(id, step), std::move(ended));
}

void MachineLoop::postpone(const std::string& id, const std::string& error) {
  Retry& retry = retries_[id];
  retry.at = engine_.clock().now() + retry_pause(++retry.failures);
  base::log_warn("work on a machine failed", {{"instance", id}, {"failures", retry.failures}, {"error", error}});
}

asio::awaitable<void> MachineLoop::act(std::string id, Step step) {
  try {
    base::Result<Nothing> done = Nothing{};
    if (step == Step::Start) {
      co_await start(id);
    } else {
      base::Result<Nothing> stopped = co_await stop(id);
      done = std::move(stopped);
    }
    if (done) {
      retries_.erase(id);
    } else {
      postpone(id, done.error());
    }
  } catch (const boost::system::system_error&) {
    throw;  // cancelled
  } catch (const std::exception& error) {
    postpone(id, error.what());
  }
}

Machine MachineLoop::machine_of(services::Call& call, state::Ec2Instance instance) const {
  Machine machine;
  machine.record = read_record(instance.machine_json);
  machine.folder = settings_.folder + "/" + instance.id;
  if (const model::InstanceType* type = model::find_instance_type(settings_.types, instance.type)) machine.type = *type;
  const auto key = state::find_key(call.tx, machine.record.key);
  if (key && !key->expires_at) machine.token = key_word(*key);
  machine.instance = std::move(instance);
  return machine;
}

std::optional<Machine> MachineLoop::find(services::Call& call, const std::string& id) const {
  auto instance = state::find_ec2_instance(call.tx, id);
  if (!instance) return std::nullopt;
  return machine_of(call, std::move(*instance));
}

asio::awaitable<std::optional<Machine>> MachineLoop::read(std::string id) {
  std::optional<Machine> machine;
  api::Engine::Work look = [&](services::Call& call) { machine = find(call, id); };
  services::Caller nobody;
  co_await engine_.run(services::Access::Read, nobody, std::move(look));
  co_return machine;
}

std::vector<Holding> MachineLoop::holdings(services::Call& call, const std::string& without) const {
  std::vector<Holding> held;
  for (const state::Ec2Instance& other : state::list_ec2_machines(call.tx)) {
    const MachineRecord record = read_record(other.machine_json);
    if (other.id == without || record.provider != provider_->name()) continue;
    held.push_back({other.id, {record.vcpus, record.memoryMib, record.gpus}});
  }
  return held;
}

std::optional<Machine> MachineLoop::reserve(services::Call& call, const std::string& id) const {
  auto machine = find(call, id);
  if (!machine || next_step(machine->instance.state, machine->record, provider_->name()) != Step::Start) return std::nullopt;
  if (!machine->token.empty()) return machine;  // an interrupted start
  if (machine->type.name.empty()) {
    report_failure(call, *machine, "InvalidParameterValue: unknown instance type '" + machine->instance.type + "'.");
    return std::nullopt;
  }
  auto slice = provider_->reserve(machine->type, provider_->counts_holdings() ? holdings(call, id) : std::vector<Holding>());
  if (!slice) {
    report_failure(call, *machine, slice.error());
    return std::nullopt;
  }
  state::Key key = state::new_machine_key(machine->instance.account, call.now);
  key.machine = machine->instance.id;
  state::insert_key(call.tx, key);
  machine->record = {std::string(provider_->name()), key.id, "", slice->vcpus, slice->memory_mib, std::move(slice->gpus)};
  machine->token = key_word(key);
  report(call, *machine, {.event = "starting", .machine = write_record(machine->record)});
  return machine;
}

asio::awaitable<void> MachineLoop::start(std::string id) {
  std::optional<Machine> machine;
  api::Engine::Work prepare = [&](services::Call& call) {
    machine = reserve(call, id);
    if (machine && provider_->wants_user_data()) machine->user_data = user_data_of(call, machine->instance);
  };
  services::Caller nobody;
  co_await engine_.run(services::Access::Write, nobody, std::move(prepare));
  if (!machine) co_return;
  base::Result<Started> started = base::Error{"not started"};
  try {
    write_token(*machine);
    Machine copy = *machine;
    base::Result<Started> answer = co_await provider_->start(std::move(copy));
    started = std::move(answer);
  } catch (const boost::system::system_error&) {
    throw;  // cancelled: the next server continues
  } catch (const std::exception& error) {
    started = base::Error{error.what()};
  }
  if (started) {
    machine->record.identity = started->identity;
    identities_[id] = started->identity;
  } else {
    base::log_warn("machine not started", {{"instance", id}, {"reason", started.error()}});
  }
  api::Engine::Work record = [&](services::Call& call) { report_start(call, *machine, started); };
  co_await engine_.run(services::Access::Write, nobody, std::move(record));
  if (!started) remove_folder(machine->folder);
}

asio::awaitable<base::Result<Nothing>> MachineLoop::stop(std::string id) {
  std::optional<Machine> machine = co_await read(id);
  if (!machine) co_return Nothing{};
  if (machine->record.identity.empty() && identities_.contains(id)) machine->record.identity = identities_[id];
  base::Result<Nothing> stopped = Nothing{};
  // Without a record no start has begun.
  if (!machine->record.provider.empty()) {
    Machine copy = *machine;
    base::Result<Nothing> answer = co_await provider_->stop(std::move(copy));
    stopped = std::move(answer);
  }
  if (!stopped) co_return stopped;
  api::Engine::Work record = [&](services::Call& call) { report_stopped(call, *machine); };
  services::Caller nobody;
  co_await engine_.run(services::Access::Write, nobody, std::move(record));
  identities_.erase(id);
  remove_folder(machine->folder);
  co_return Nothing{};
}

asio::awaitable<void> MachineLoop::watch(std::string id) {
  std::optional<Machine> machine = co_await read(id);
  if (!machine || next_step(machine->instance.state, machine->record, provider_->name()) != Step::Watch) co_return;
  Machine copy = *machine;
  MachineEvent event = co_await provider_->watch(std::move(copy));
  if (event.kind == MachineEvent::Kind::Running) {
    api::Engine::Work record = [&](services::Call& call) { report_running(call, *machine); };
    services::Caller nobody;
    co_await engine_.run(services::Access::Write, nobody, std::move(record));
    engine_.topics().wake(std::string(state::kMachinesTopic));
    co_return;
  }
  // A stop that has begun meanwhile sees the end itself.
  if (actions_.contains(id)) co_return;
  base::log_warn("machine ended by itself", {{"instance", id}, {"reason", event.reason}});
  auto ended = [this] { engine_.topics().wake(std::string(state::kMachinesTopic)); };
  actions_.spawn(id, end(std::move(*machine), std::move(event.reason)), std::move(ended));
}

asio::awaitable<void> MachineLoop::end(Machine machine, std::string reason) {
  for (int failures = 1;; ++failures) {
    Machine copy = machine;
    base::Result<Nothing> stopped = co_await provider_->stop(std::move(copy));
    if (stopped) break;
    base::log_warn("remains of a machine not removed", {{"instance", machine.instance.id}, {"error", stopped.error()}});
    co_await sleep_for(retry_pause(failures));
  }
  api::Engine::Work record = [&](services::Call& call) { report_end(call, machine, reason); };
  services::Caller nobody;
  co_await engine_.run(services::Access::Write, nobody, std::move(record));
  identities_.erase(machine.instance.id);
  remove_folder(machine.folder);
}

}  // namespace control::providers
