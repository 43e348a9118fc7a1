// SPDX-License-Identifier: Apache-2.0
#include "control/providers/slurm_queue.h"

#include <algorithm>
#include <array>
#include <vector>

namespace control::providers {
namespace {

constexpr std::size_t kMaxJobIdDigits = 10, kFields = 4;

bool is_job_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxJobIdDigits && text.find_first_not_of("0123456789") == text.npos;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

struct StateText {
  std::string_view state, text;
};
constexpr std::array<StateText, 9> kEnds = {{
    {"COMPLETED", "has ended"},
    {"CANCELLED", "was cancelled"},
    {"FAILED", "failed"},
    {"TIMEOUT", "reached its time limit"},
    {"NODE_FAIL", "lost its node"},
    {"PREEMPTED", "was preempted by another job"},
    {"BOOT_FAIL", "could not boot its node"},
    {"DEADLINE", "reached its deadline"},
    {"OUT_OF_MEMORY", "ran out of memory"},
}};

}  // namespace

std::optional<std::string> parse_job_id(std::string_view output) {
  const std::string_view id = output.substr(0, output.find_first_of(";\n"));
  if (!is_job_id(id)) return std::nullopt;
  return std::string(id);
}

std::map<std::string, SlurmJob> parse_jobs(std::string_view output) {
  std::map<std::string, SlurmJob> jobs;
  for (const std::string_view line : split(output, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != kFields || !is_job_id(fields[0])) continue;
    jobs[std::string(fields[0])] = {std::string(fields[1]), std::string(fields[2]), std::string(fields[3])};
  }
  return jobs;
}

JobPhase phase_of(std::string_view state) {
  for (const StateText& end : kEnds) {
    if (state.starts_with(end.state)) return JobPhase::Ended;
  }
  if (state == "PENDING" || state == "CONFIGURING" || state == "REQUEUED" || state == "REQUEUE_HOLD") return JobPhase::Waiting;
  if (state == "COMPLETING" || state == "STAGE_OUT") return JobPhase::Ending;
  return JobPhase::Running;
}

std::string end_text(const std::string& id, const SlurmJob& job) {
  const auto end = std::ranges::find_if(kEnds, [&](const StateText& one) { return job.state.starts_with(one.state); });
  std::string text = "Slurm job " + id + " " + (end == kEnds.end() ? "no longer exists" : std::string(end->text));
  if (!job.reason.empty() && job.reason != "None") text += " (" + job.reason + ")";
  return text + ".";
}

}  // namespace control::providers
