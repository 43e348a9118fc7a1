// SPDX-License-Identifier: Apache-2.0
#include "cli/job_rows.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "cli/names.h"
#include "cli/terminal_text.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

// The rest of 80 columns.
constexpr std::size_t kPipelineColumns = 10, kNameBesidePipeline = 11, kNameAlone = 15;
constexpr std::size_t kEventNameColumns = 22;

std::optional<base::Time> time_of(const std::optional<std::string>& text) {
  return text ? wire::from_iso8601(*text) : std::nullopt;
}

std::string join_texts(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// "https://x/hook, PENDING, 2 attempts: The receiver answered with status 500."
std::string webhook_text(const JobWebhook& webhook) {
  std::string text = webhook.url.value_or("");
  if (!webhook.status) return text;  // the job is not over
  const std::int64_t attempts = webhook.attempts.value_or(0);
  text += fmt::format(", {}, {} {}", *webhook.status, attempts, attempts == 1 ? "attempt" : "attempts");
  return webhook.error && !webhook.error->empty() ? text + ": " + *webhook.error : text;
}

}  // namespace

std::string input_name(const JobDocument& job) {
  if (!job.input) return "-";
  std::string_view name = job.input->key;
  // A submitted file is in a folder of its job.
  for (const std::string& folder : {std::string("in/"), job.task_id + "/"}) {
    if (name.starts_with(folder)) name.remove_prefix(folder.size());
  }
  return std::string(name);
}

std::string short_time(base::Duration duration) {
  if (duration < std::chrono::seconds(1)) return fmt::format("{} ms", std::max<std::int64_t>(duration.count(), 0));
  if (duration < std::chrono::minutes(1)) return fmt::format("{:.1f} s", std::chrono::duration<double>(duration).count());
  return brief_duration(duration);
}

std::string run_time(const JobDocument& job, base::Time now) {
  const auto start = time_of(job.started_at);
  if (!start) return "-";
  return short_time(time_of(job.finished_at).value_or(now) - *start);
}

std::vector<std::string> job_heading(bool with_pipeline) {
  if (with_pipeline) return {"JOB", "STATUS", "AGE", "PIPELINE", "FILE"};
  return {"JOB", "STATUS", "AGE", "TIME", "FILE"};
}

std::vector<std::string> job_row(const JobDocument& job, bool with_pipeline, base::Time now) {
  const auto created = time_of(job.created_at);
  const std::string age = created ? brief_duration(now - *created) : "-";
  if (with_pipeline) {
    return {job.task_id, job.status, age, cut(job.pipeline, kPipelineColumns), cut(input_name(job), kNameBesidePipeline)};
  }
  return {job.task_id, job.status, age, run_time(job, now), cut(input_name(job), kNameAlone)};
}

std::string job_event_line(const JobDocument& job, base::Time now) {
  std::string line = fit_left(job.task_id, 36) + "  " + fit_left(job.status, 9) + "  " + fit_right(run_time(job, now), 7) +
                     "  " + cut(input_name(job), kEventNameColumns);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::vector<std::vector<std::string>> job_lines(const JobDocument& job, base::Time now) {
  std::vector<std::vector<std::string>> lines{{"job", job.task_id}, {"pipeline", job.pipeline}, {"status", job.status}};
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value && !value->empty()) lines.push_back({name, *value});
  };
  if (job.error) {
    const std::string type = job.error->type.value_or("");
    add("error", (type.empty() ? "" : type + ": ") + job.error->message.value_or(""));
  }
  add("created", job.created_at);
  add("started", job.started_at);
  add("finished", job.finished_at);
  if (job.started_at) add("time", run_time(job, now));
  add("attempts", std::to_string(job.attempts.value_or(0)));
  if (job.priority.value_or(0) != 0) add("priority", std::to_string(*job.priority));
  if (job.input) {
    std::string text = "s3://" + job.input->bucket + "/" + job.input->key;
    if (job.input->size) text += fmt::format(" ({} bytes)", *job.input->size);
    add("input", text);
  }
  if (job.result) add("result", "s3://" + job.result->bucket + "/" + job.result->key);
  add("machine", job.machine);
  if (job.gpu_ids) add("GPUs", join_texts(*job.gpu_ids));
  if (job.task_arn && !job.task_arn->empty()) add("task", short_id(*job.task_arn));
  for (const auto& [key, value] : job.metadata.value_or(std::map<std::string, std::string>())) {
    lines.push_back({"metadata." + key, value});
  }
  if (job.webhook) add("webhook", webhook_text(*job.webhook));
  return lines;
}

}  // namespace cli
