// SPDX-License-Identifier: Apache-2.0
// stoker pipeline create|apply|diff|list|pause|resume|delete
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>

#include "cli/json.h"
#include "cli/names.h"
#include "cli/pipeline_commands.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "shapes/stoker/pipeline_names.h"

namespace cli {

const client::Target kPipelinesTarget{shapes::stoker::kPipelineService, "pipelines", wire::Protocol::Json11};

namespace {

using namespace shapes::stoker;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kContext = 24;  // shown of what two values have in common

std::string spec_json(const PipelineSpec& spec) {
  std::string text;
  wire::write_json(wire::type_of<PipelineSpec>(), &spec, text);
  return text;
}

ApplyPipelineResponse call_apply(const Options& options, const PipelineSpec& spec, bool dry_run, bool create_only) {
  client::Client client(read_profile(options));
  ApplyPipelineRequest request{.spec = spec_json(spec)};
  if (dry_run) request.dryRun = true;
  if (create_only) request.createOnly = true;
  return client.call<ApplyPipelineResponse>(kPipelinesTarget, "ApplyPipeline", request);
}

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// Two long texts from shortly before where they differ.
void skip_common_start(std::string& before, std::string& after) {
  const auto [one, other] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const std::size_t common = static_cast<std::size_t>(one - before.begin());
  if (std::max(before.size(), after.size()) <= kWidth - 8 || common < kContext) return;
  const std::size_t space = before.rfind(' ', common - 1);
  const std::size_t cut = space == before.npos || common - space > kContext ? common - kContext / 2 : space + 1;
  before.replace(0, cut, "...");
  after.replace(0, cut, "...");
}

// "~ queue stoker-ocr" and below it each field with its values, like a diff.
void print_changes(std::ostream& out, const std::vector<PipelineChange>& changes) {
  std::string last;
  for (const PipelineChange& change : changes) {
    const char* mark = change.action == "create" ? "+" : change.action == "delete" ? "-" : "~";
    const std::string line = fmt::format("{} {} {}", mark, change.resource, change.name);
    if (line != last) out << line << '\n';
    last = line;
    if (!change.field) continue;
    out << "    " << *change.field << '\n';
    std::string before = change.before.value_or(""), after = change.after.value_or("");
    skip_common_start(before, after);
    if (!before.empty()) out << "      - " << shortened(terminal_text(before), kWidth - 8) << '\n';
    if (!after.empty()) out << "      + " << shortened(terminal_text(after), kWidth - 8) << '\n';
  }
}

void print_applied(std::ostream& out, const ApplyPipelineResponse& response, const std::string& endpoint) {
  print_changes(out, response.changes);
  if (response.webhookSecret) {
    out << "\nSecret of the webhook, shown once:\n  " << *response.webhookSecret << '\n';
  }
  if (!response.pipeline) return;
  const std::string& name = response.pipeline->name;
  out << "\nSubmit files:   stoker submit " << name << " FILE...\n"
      << "Or by HTTP:     POST " << endpoint << "/pipelines/" << name << "/jobs\n"
      << "Or by S3:       s3://" << response.pipeline->bucket.value_or("") << "/in/\n"
      << "Details:        stoker pipeline show " << name << '\n';
}

// "2 of 0-4"
std::string workers_text(const PipelineDescription& pipeline) {
  if (!pipeline.workers) return "-";
  return fmt::format("{} of {}-{}", pipeline.workers->running, pipeline.workers->min, pipeline.workers->max);
}

std::vector<std::string> pipeline_row(const PipelineDescription& pipeline, base::Time now) {
  const PipelineItems items = pipeline.items.value_or(PipelineItems());
  return {pipeline.name,
          pipeline.status,
          workers_text(pipeline),
          std::to_string(items.queued),
          std::to_string(items.inFlight),
          std::to_string(items.failed),
          pipeline.createdAt ? brief_duration(now - *pipeline.createdAt) : "-"};
}

bool confirmed(const std::string& question, std::istream& in, std::ostream& out) {
  out << question << " Type yes to continue: " << std::flush;
  std::string answer;
  std::getline(in, answer);
  return answer == "yes";
}

}  // namespace

int pipeline_create(const Options& options, const PipelineSpec& spec, std::ostream& out) {
  const auto response = call_apply(options, spec, false, true);
  if (options.json) {
    print_json(out, response);
    return 0;
  }
  print_applied(out, response, read_profile(options).endpoint);
  return 0;
}

int pipeline_apply(const Options& options, const PipelineSpec& spec, std::ostream& out) {
  const auto response = call_apply(options, spec, false, false);
  if (options.json) {
    print_json(out, response);
  } else if (response.changes.empty()) {
    out << "pipeline " << spec.name << " is up to date\n";
  } else {
    print_applied(out, response, read_profile(options).endpoint);
  }
  return 0;
}

int pipeline_diff(const Options& options, const PipelineSpec& spec, std::ostream& out) {
  const auto response = call_apply(options, spec, true, false);
  if (options.json) {
    print_json(out, response);
  } else {
    print_changes(out, response.changes);
  }
  return response.changes.empty() ? 0 : 1;
}

int pipeline_list(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options));
  ListPipelinesResponse all;
  ListPipelinesRequest request;
  do {
    auto page = client.call<ListPipelinesResponse>(kPipelinesTarget, "ListPipelines", request);
    all.pipelines.insert(all.pipelines.end(), page.pipelines.begin(), page.pipelines.end());
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  if (options.json) {
    print_json(out, all);
    return 0;
  }
  if (all.pipelines.empty()) {
    out << "no pipelines: `stoker pipeline create ocr` creates one that reads text in images\n";
    return 0;
  }
  const base::Time now = base::SystemClock().now();
  std::vector<std::vector<std::string>> rows{
      {"PIPELINE", "STATUS", "WORKERS", "QUEUED", "IN FLIGHT", "FAILED", "AGE"}};
  for (const PipelineDescription& pipeline : all.pipelines) rows.push_back(pipeline_row(pipeline, now));
  print_table(out, rows);
  return 0;
}

int pipeline_pause(const Options& options, const std::string& name, std::ostream& out) {
  client::Client client(read_profile(options));
  const auto response =
      client.call<PausePipelineResponse>(kPipelinesTarget, "PausePipeline", PausePipelineRequest{name});
  if (options.json) {
    print_json(out, response);
  } else {
    out << "paused " << name << ": its workers finish their items and end; new items wait\n";
  }
  return 0;
}

int pipeline_resume(const Options& options, const std::string& name, std::ostream& out) {
  client::Client client(read_profile(options));
  const auto response =
      client.call<ResumePipelineResponse>(kPipelinesTarget, "ResumePipeline", ResumePipelineRequest{name});
  if (options.json) {
    print_json(out, response);
  } else {
    out << "resumed " << name << ": " << response.pipeline.items.value_or(PipelineItems()).queued << " items wait, "
        << response.pipeline.workers.value_or(PipelineWorkers()).desired << " workers start\n";
  }
  return 0;
}

int pipeline_delete(const Options& options, const PipelineDeletion& deletion, std::istream& in, std::ostream& out) {
  client::Client client(read_profile(options));
  if (deletion.delete_data && !deletion.yes) {
    const auto found = client.call<DescribePipelineResponse>(kPipelinesTarget, "DescribePipeline",
                                                             DescribePipelineRequest{deletion.name});
    const std::string question =
        fmt::format("This deletes the pipeline {} and all inputs and results\nin the bucket {}.", deletion.name,
                    found.pipeline.bucket.value_or("-"));
    if (!confirmed(question, in, out)) {
      out << "nothing was deleted\n";
      return 1;
    }
  }
  DeletePipelineRequest request{.name = deletion.name};
  if (deletion.delete_data) request.deleteData = true;
  const auto response = client.call<DeletePipelineResponse>(kPipelinesTarget, "DeletePipeline", request);
  if (options.json) {
    print_json(out, response);
    return 0;
  }
  print_changes(out, response.changes);
  if (response.keptBucket) {
    out << "\nThe bucket stays, with its data. To delete it as well:\n  aws s3 rb --force s3://" << *response.keptBucket
        << '\n';
  } else if (response.status == "DELETING") {
    out << "\nthe bucket is being emptied: `stoker pipeline list` shows when it is gone\n";
  }
  return 0;
}

}  // namespace cli
