// SPDX-License-Identifier: Apache-2.0
#include "control/providers/command_provider.h"

#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "control/providers/agent_words.h"
#include "control/providers/child_process.h"

namespace control::providers {
namespace asio = boost::asio;
namespace {

Command shell(const std::string& text, std::map<std::string, std::string> variables) {
  return {.words = {"/bin/sh", "-c", text}, .environment = std::move(variables)};
}

std::string failure_text(const char* which, const Finished& finished) {
  const std::string lines = last_lines(finished.error);
  return std::string("The ") + which + " command ended with status " + std::to_string(finished.status) +
         (lines.empty() ? "." : ": " + lines);
}

std::string joined_pairs(const std::map<std::string, std::string>& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : ",") + name + "=" + value;
  return text;
}

std::string user_data_file(const Machine& machine) { return machine.folder + "/user-data"; }

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace

std::map<std::string, std::string> CommandProvider::variables(const Machine& machine) const {
  const shapes::stoker::AgentSettings agent = read_settings(machine.instance.agent_json);
  AgentPlace place;
  place.join = settings_.join;
  place.data = "/var/lib/stoker/" + machine.instance.id;
  std::vector<std::string> words{"stoker"};
  for (std::string& word : agent_words(machine, place)) words.push_back(std::move(word));
  return {{"STOKER_INSTANCE_ID", machine.instance.id},
          {"STOKER_INSTANCE_TYPE", machine.instance.type},
          {"STOKER_VCPUS", std::to_string(machine.record.vcpus)},
          {"STOKER_MEMORY_MIB", std::to_string(machine.record.memoryMib)},
          {"STOKER_GPUS", std::to_string(machine.type.gpus)},
          {"STOKER_GPU_MODEL", machine.type.gpu_model},
          {"STOKER_ACCOUNT", machine.instance.account},
          {"STOKER_REGION", machine.instance.region},
          {"STOKER_AVAILABILITY_ZONE", machine.instance.zone},
          {"STOKER_GROUP", machine.instance.group},
          {"STOKER_CLUSTER", agent.cluster},
          {"STOKER_ATTRIBUTES", joined_pairs(agent.attributes)},
          {"STOKER_JOIN", settings_.join},
          {"STOKER_CA_FILE", settings_.ca_file},
          {"STOKER_TOKEN_FILE", machine.token_file()},
          {"STOKER_USER_DATA_FILE", user_data_file(machine)},
          {"STOKER_AGENT_COMMAND", shell_text(words)},
          {"STOKER_MACHINE", machine.record.identity}};
}

asio::awaitable<base::Result<Started>> CommandProvider::start(Machine machine) {
  std::filesystem::remove(user_data_file(machine));
  base::File::create(user_data_file(machine)).write_all(machine.user_data);
  base::Duration pause = settings_.retry;
  for (int attempt = 1;; ++attempt) {
    base::Result<Started> started = co_await try_start(machine);
    if (started || attempt == kStartAttempts) co_return started;
    base::log_warn("start command failed, it runs again",
                   {{"instance", machine.instance.id}, {"attempt", attempt}, {"error", started.error()}});
    co_await sleep_for(pause);
    pause *= 2;
  }
}

asio::awaitable<base::Result<Started>> CommandProvider::try_start(Machine machine) {
  Command command = shell(settings_.start, variables(machine));
  // Killed halfway it might leave a machine that nobody remembers. After a restart it runs again, and finds its machine.
  command.finishes_alone = true;
  base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
  if (!finished) co_return base::Error{"The start command failed: " + finished.error()};
  if (finished->status != 0) co_return base::Error{failure_text("start", *finished)};
  std::string identity = first_line(finished->output);
  if (identity.empty() || identity.size() > kMaxIdentity) {
    co_return base::Error{"The start command printed no identity of its machine in its first line."};
  }
  co_return Started{.identity = std::move(identity)};
}

asio::awaitable<MachineEvent> CommandProvider::watch(Machine machine) {
  constexpr base::Duration kLongWait = std::chrono::hours(1);
  for (;;) {
    const base::Duration pause = settings_.status.empty() ? kLongWait : settings_.status_every;
    co_await sleep_for(pause);
    if (settings_.status.empty()) continue;
    Command command = shell(settings_.status, variables(machine));
    base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
    if (finished && finished->status == kGoneStatus) {
      const std::string lines = last_lines(finished->output + finished->error);
      MachineEvent event;
      event.reason = "The machine " + machine.record.identity + " is gone" + (lines.empty() ? "." : ": " + lines);
      co_return event;
    }
    if (finished && finished->status == 0) continue;
    base::log_warn("status command failed",
                   {{"instance", machine.instance.id},
                    {"error", finished ? failure_text("status", *finished) : finished.error()}});
  }
}

asio::awaitable<base::Result<Nothing>> CommandProvider::stop(Machine machine) {
  Command command = shell(settings_.stop, variables(machine));
  base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
  if (!finished) co_return base::Error{"The stop command failed: " + finished.error()};
  if (finished->status != 0) co_return base::Error{failure_text("stop", *finished)};
  co_return Nothing{};
}

}  // namespace control::providers
