// SPDX-License-Identifier: Apache-2.0
#include "control/providers/slurm_provider.h"

#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "control/providers/agent_words.h"
#include "control/providers/child_process.h"

namespace control::providers {
namespace asio = boost::asio;
namespace {

std::string error_text(const std::string& program, const base::Result<Finished>& finished) {
  if (!finished) return finished.error();
  const std::string lines = last_lines(finished->error);
  return lines.empty() ? program + " ended with status " + std::to_string(finished->status) : lines;
}

bool succeeded(const base::Result<Finished>& finished) { return finished && finished->status == 0; }

}  // namespace

std::vector<std::string> SlurmProvider::submit_words(const Machine& machine) const {
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--no-requeue",
                                 "--job-name=" + machine.instance.id,
                                 "--comment=stoker " + machine.instance.type,
                                 "--output=/dev/null",
                                 "--nodes=1",
                                 "--ntasks=1",
                                 "--cpus-per-task=" + std::to_string(machine.record.vcpus),
                                 "--mem=" + std::to_string(machine.record.memoryMib) + "M"};
  if (machine.type.gpus > 0) words.push_back("--gres=gpu:" + std::to_string(machine.type.gpus));
  words.insert(words.end(), settings_.options.begin(), settings_.options.end());
  words.push_back(machine.folder + "/job.sh");
  return words;
}

// The token is in the script, which only its user and Slurm can read, and not among the options, which everybody can.
// A node whose GPUs are not constrained by cgroups shows all of them, so the agent gets a list of the job's.
std::string SlurmProvider::script_of(const Machine& machine) const {
  AgentPlace place;
  place.join = settings_.join;
  place.ca_file = settings_.ca_file;
  place.driver = settings_.driver;
  place.shutdown_timeout = settings_.shutdown_timeout;
  place.data = "stoker-data";  // replaced below: only the node has the path of its temporary files
  std::vector<std::string> words{settings_.program};
  for (std::string& word : agent_words(machine, place)) words.push_back(std::move(word));
  std::string command = shell_text(words);
  command.replace(command.find(" --data stoker-data "), std::string(" --data stoker-data ").size(), " --data \"$data\" ");
  // The instance's id is in Slurm's queue, for everybody to see: a folder that only it names might be another user's.
  std::string script = "#!/bin/sh\numask 077\ndata=$(mktemp -d \"${TMPDIR:-/tmp}/stoker-" + machine.instance.id +
                       ".XXXXXX\") || exit 1\n";
  script += "export STOKER_TOKEN=" + machine.token + "\n";
  if (machine.type.gpus == 0) {
    script += "gpus=none\n";
  } else if (settings_.gpus == "auto") {
    script += "gpus=auto\nvisible=$(nvidia-smi -L 2>/dev/null | wc -l)\nif [ \"$visible\" -gt " +
              std::to_string(machine.type.gpus) + " ] && [ -n \"$SLURM_JOB_GPUS\" ]; then gpus=auto#$SLURM_JOB_GPUS; fi\n";
  } else {
    script += "gpus=" + shell_text({settings_.gpus}) + "@$(hostname)\n" +
              "if [ -n \"$SLURM_JOB_GPUS\" ]; then gpus=$gpus#$SLURM_JOB_GPUS; fi\n";
  }
  return script + "exec " + command + " --gpus \"$gpus\" >\"$data/agent.log\" 2>&1\n";
}

asio::awaitable<base::Result<SlurmProvider::Jobs>> SlurmProvider::jobs(base::Duration age) {
  if (read_at_ && clock_.now() - *read_at_ < age && clock_.now() >= *read_at_) co_return last_jobs_;
  const base::Time began = clock_.now();
  const std::uint64_t submissions = submissions_;
  Command command{.words = {"squeue", "-h", "-t", "all", "-o", kSqueueFormat}};
  base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
  if (!succeeded(finished)) co_return base::Error{error_text("squeue", finished)};
  Jobs found = parse_jobs(finished->output);
  // A job that was submitted meanwhile may be missing here, and is not to be taken for one that has ended.
  if (submissions == submissions_) {
    last_jobs_ = found;
    read_at_ = began;
  }
  co_return found;
}

// Its recorded job, or one of its name that an interrupted start has submitted; "" where there is none.
asio::awaitable<base::Result<std::string>> SlurmProvider::job_of(Machine machine) {
  if (!machine.record.identity.empty()) co_return machine.record.identity;
  base::Result<Jobs> queue = co_await jobs(base::Duration(0));
  if (!queue) co_return base::Error{queue.error()};
  for (const auto& [id, job] : *queue) {
    if (job.name == machine.instance.id && phase_of(job.state) != JobPhase::Ended) co_return id;
  }
  co_return std::string();
}

asio::awaitable<base::Result<Started>> SlurmProvider::start(Machine machine) {
  base::Result<std::string> existing = co_await job_of(machine);
  if (!existing) co_return base::Error{existing.error()};
  if (!existing->empty()) co_return Started{.identity = *existing, .running = false};
  const std::string script = machine.folder + "/job.sh";
  std::filesystem::remove(script);
  base::File::create(script).write_all(script_of(machine));
  Command command{.words = submit_words(machine)};
  command.finishes_alone = true;
  base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
  ++submissions_;
  read_at_.reset();  // the last reading does not have this job
  const std::optional<std::string> id = succeeded(finished) ? parse_job_id(finished->output) : std::nullopt;
  if (id) {
    base::log_info("Slurm job submitted", {{"instance", machine.instance.id}, {"job", *id}});
    co_return Started{.identity = *id, .running = false};
  }
  // Slurm may have accepted the job all the same: an answer that came too late is an error of sbatch.
  base::Result<std::string> accepted = co_await job_of(std::move(machine));
  if (accepted && !accepted->empty()) co_return Started{.identity = *accepted, .running = false};
  if (!succeeded(finished)) co_return base::Error{error_text("sbatch", finished)};
  co_return base::Error{"sbatch printed no job id: " + last_lines(finished->output)};
}

asio::awaitable<MachineEvent> SlurmProvider::watch(Machine machine) {
  const std::string& id = machine.record.identity;
  const bool waits = machine.instance.state == state::Ec2State::Pending;
  for (;;) {
    const base::Duration pause = waits ? settings_.poll_soon : settings_.poll;
    base::Result<Jobs> queue = co_await jobs(pause / 2);
    MachineEvent event;
    if (!queue) {
      base::log_warn("Slurm's queue not read", {{"error", queue.error()}});
    } else if (const auto job = queue->find(id); job == queue->end() || phase_of(job->second.state) == JobPhase::Ended) {
      event.reason = end_text(id, job == queue->end() ? SlurmJob() : job->second);
      co_return event;
    } else if (waits && phase_of(job->second.state) == JobPhase::Running) {
      event.kind = MachineEvent::Kind::Running;
      co_return event;
    }
    co_await sleep_for(pause);
  }
}

asio::awaitable<base::Result<Nothing>> SlurmProvider::stop(Machine machine) {
  base::Result<std::string> id = co_await job_of(machine);
  if (!id) co_return base::Error{id.error()};
  if (id->empty()) co_return Nothing{};
  // Its result does not matter: it fails for jobs that have ended, and the queue shows the others.
  Command command{.words = {"scancel", *id}};
  base::Result<Finished> finished = co_await run_command(std::move(command), settings_.timeout);
  const base::Time until = clock_.now() + settings_.timeout;
  for (;;) {
    base::Result<Jobs> queue = co_await jobs(settings_.poll_soon / 2);
    if (!queue) co_return base::Error{queue.error()};
    const auto job = queue->find(*id);
    if (job == queue->end() || phase_of(job->second.state) == JobPhase::Ended) co_return Nothing{};
    if (clock_.now() >= until) {
      co_return base::Error{"Slurm job " + *id + " is still " + job->second.state + ", " + error_text("scancel", finished)};
    }
    co_await sleep_for(settings_.poll_soon);
  }
}

}  // namespace control::providers
