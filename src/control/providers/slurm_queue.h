// SPDX-License-Identifier: Apache-2.0
// Slurm's answers: the id of a submitted job, and the states of jobs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace control::providers {

// The format of squeue that parse_jobs reads.
inline constexpr const char* kSqueueFormat = "%i|%j|%T|%r";

struct SlurmJob {
  std::string name;    // the instance's id
  std::string state;   // "PENDING", "RUNNING", "TIMEOUT"
  std::string reason;  // "None", "Resources", "Priority"
  bool operator==(const SlurmJob&) const = default;
};

// Of `sbatch --parsable`: "42" of "42;cluster\n".
std::optional<std::string> parse_job_id(std::string_view output);
// By id. Lines in another format are left out.
std::map<std::string, SlurmJob> parse_jobs(std::string_view output);

enum class JobPhase { Waiting, Running, Ending, Ended };
// An unknown state is that of a job that still exists.
JobPhase phase_of(std::string_view state);

// Why a job ended, for people: "Slurm job 42 reached its time limit."
std::string end_text(const std::string& id, const SlurmJob& job);

}  // namespace control::providers
