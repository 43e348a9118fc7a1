// SPDX-License-Identifier: Apache-2.0
#include "control/providers/local_provider.h"

#include <csignal>
#include <filesystem>

#include "base/log.h"
#include "control/providers/agent_words.h"
#include "control/providers/child_process.h"

namespace control::providers {
namespace asio = boost::asio;
namespace {

// Beyond the time that its containers get: for the driver, reports and the deletion of its files.
constexpr base::Duration kShutdownMargin = std::chrono::seconds(30);
constexpr base::Duration kKilledWithin = std::chrono::seconds(10);

std::string agent_data(const Machine& machine) { return machine.folder + "/agent"; }
std::string agent_log(const Machine& machine) { return machine.folder + "/agent.log"; }

}  // namespace

base::Result<Slice> LocalProvider::reserve(const model::InstanceType& type, const std::vector<Holding>& held) const {
  return providers::reserve(settings_.pool, type, held);
}

std::vector<std::string> LocalProvider::words_of(const Machine& machine) const {
  std::string gpus = "none";
  for (const std::string& id : machine.record.gpus) {
    gpus = (gpus == "none" ? settings_.gpu_source + "#" : gpus + ",") + id;
  }
  AgentPlace place;
  place.join = settings_.join;
  place.ca_file = settings_.ca_file;
  place.data = agent_data(machine);
  place.gpus = gpus;
  place.driver = settings_.driver;
  place.shutdown_timeout = settings_.shutdown_timeout;
  std::vector<std::string> words{settings_.program};
  for (std::string& word : agent_words(machine, place)) words.push_back(std::move(word));
  words.insert(words.end(), {"--token-file", machine.token_file()});
  // The server's own folder, of which the folders of instances are a part.
  words.insert(words.end(), {"--hide", std::filesystem::path(machine.folder).parent_path().parent_path().string()});
  return words;
}

// The recorded process; or one that a server started and could not record any more. The data folder identifies it:
// only one agent at a time can use it.
std::optional<ProcessIdentity> LocalProvider::find_agent(const Machine& machine) const {
  if (!machine.record.identity.empty()) {
    const auto identity = parse_identity(machine.record.identity);
    return identity && is_alive(*identity) ? identity : std::nullopt;
  }
  return find_process("--data", agent_data(machine), "--clean-up");
}

asio::awaitable<base::Result<Started>> LocalProvider::start(Machine machine) {
  if (const auto running = find_agent(machine)) {
    base::log_info("agent of an instance adopted", {{"instance", machine.instance.id}, {"pid", running->pid}});
    co_return Started{.identity = text(*running)};
  }
  Command command{.words = words_of(machine)};
  const base::Result<pid_t> pid = spawn(std::move(command), agent_log(machine));
  if (!pid) co_return base::Error{pid.error()};
  const auto identity = identify(*pid);
  base::log_info("agent of an instance started", {{"instance", machine.instance.id}, {"pid", *pid}});
  // An agent that has ended already has an identity of no process, and watch() reports it.
  co_return Started{.identity = text(identity.value_or(ProcessIdentity{*pid, 0, "ended"}))};
}

asio::awaitable<MachineEvent> LocalProvider::watch(Machine machine) {
  const auto identity = parse_identity(machine.record.identity);
  std::optional<int> status;
  if (identity) {
    co_await wait_for_end(*identity, std::nullopt);
    status = reap(*identity);
  }
  MachineEvent event;
  event.reason = "The agent of " + machine.instance.id + " ended" +
                 (status ? " with status " + std::to_string(*status) : std::string());
  const std::string lines = last_lines(read_tail(agent_log(machine)));
  event.reason += lines.empty() ? "." : ": " + lines;
  co_return event;
}

asio::awaitable<base::Result<Nothing>> LocalProvider::stop(Machine machine) {
  if (const auto identity = find_agent(machine)) {
    send_signal(*identity, SIGTERM);
    const bool in_time = co_await wait_for_end(*identity, settings_.shutdown_timeout + kShutdownMargin);
    if (!in_time) {
      base::log_warn("agent of an instance killed", {{"instance", machine.instance.id}, {"pid", identity->pid}});
      send_signal(*identity, SIGKILL);
      co_await wait_for_end(*identity, kKilledWithin);
    }
    reap(*identity);
  } else if (const auto recorded = parse_identity(machine.record.identity)) {
    reap(*recorded);
  }
  base::Result<Nothing> cleaned = co_await clean_up(std::move(machine));
  co_return cleaned;
}

// Ends the tasks of an agent that did not end them itself, because it was killed.
asio::awaitable<base::Result<Nothing>> LocalProvider::clean_up(Machine machine) {
  std::error_code failed;
  if (!std::filesystem::exists(agent_data(machine), failed)) co_return Nothing{};
  Command command{.words = words_of(machine)};
  command.words.push_back("--clean-up");
  base::Result<Finished> done = co_await run_command(std::move(command), settings_.shutdown_timeout + kShutdownMargin);
  if (!done) co_return base::Error{done.error()};
  if (done->status != 0) {
    co_return base::Error{"tasks of the agent remain, its clean-up ended with status " + std::to_string(done->status) +
                          ": " + last_lines(done->error)};
  }
  co_return Nothing{};
}

}  // namespace control::providers
