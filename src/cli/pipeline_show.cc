// SPDX-License-Identifier: Apache-2.0
// stoker pipeline show
#include <fmt/format.h>

#include <ostream>

#include "cli/json.h"
#include "cli/names.h"
#include "cli/pipeline_commands.h"
#include "cli/profile.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

using namespace shapes::stoker;

constexpr std::size_t kLabel = 17, kLine = 80;

// A label and its text, which continues below itself after 80 columns.
void print_field(std::ostream& out, const std::string& label, std::string text) {
  text = terminal_text(text);
  std::string start = "  " + label + std::string(kLabel - std::min(kLabel - 1, label.size()), ' ');
  const std::size_t room = kLine - start.size();
  while (text.size() > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == text.npos || cut == 0) cut = room;
    out << start << text.substr(0, cut) << '\n';
    text.erase(0, text[cut] == ' ' ? cut + 1 : cut);
    start.assign(start.size(), ' ');
  }
  out << start << text << '\n';
}

std::string processor_text(const PipelineSpec& spec) {
  if (spec.exec) return fmt::format("{}: {}", spec.image.value_or(""), *spec.exec);
  if (spec.serve) return fmt::format("{}: {} (batches of {})", spec.image.value_or(""), *spec.serve, spec.batch.value_or(1));
  return "built-in " + spec.builtin.value_or("ocr");
}

void print_pipeline_counts(std::ostream& out, const PipelineDescription& pipeline) {
  if (const auto& workers = pipeline.workers) {
    print_field(out, "workers", fmt::format("{} running, {} starting, {} wanted ({} to {})", workers->running,
                                            workers->pending, workers->desired, workers->min, workers->max));
  }
  if (const auto& items = pipeline.items) {
    print_field(out, "items", fmt::format("{} queued, {} in flight, {} failed", items->queued, items->inFlight,
                                          items->failed));
  }
}

void print_resources(std::ostream& out, const PipelineDescription& pipeline) {
  for (const PipelineResource& resource : pipeline.resources.value_or(std::vector<PipelineResource>())) {
    if (resource.resource != "alarm") print_field(out, resource.resource, resource.name);
  }
  for (const PipelineAlarm& alarm : pipeline.alarms.value_or(std::vector<PipelineAlarm>())) {
    print_field(out, "alarm", fmt::format("{} is {}", alarm.name, alarm.state));
  }
}

void print_usage(std::ostream& out, const std::string& name, const std::string& endpoint) {
  out << "\nSubmit a file and wait for its result:\n"
      << "  stoker submit " << name << " page.png --wait\n"
      << "The same by HTTP, with a key of `stoker pipeline key create " << name << "`:\n"
      << "  curl -H \"Authorization: Bearer $KEY\" --data-binary @page.png \\\n"
      << "    '" << endpoint << "/pipelines/" << name << "/jobs?filename=page.png'\n";
}

}  // namespace

void print_pipeline(std::ostream& out, const PipelineDescription& pipeline, const std::string& endpoint,
                    base::Time now) {
  out << "pipeline " << pipeline.name << ": " << pipeline.status;
  if (pipeline.createdAt) out << ", created " << brief_duration(now - *pipeline.createdAt) << " ago";
  out << '\n';
  if (pipeline.spec) print_field(out, "processor", processor_text(*pipeline.spec));
  print_pipeline_counts(out, pipeline);
  if (pipeline.spec && pipeline.spec->webhook) print_field(out, "webhook", *pipeline.spec->webhook);
  if (pipeline.lastEvent) print_field(out, "last event", *pipeline.lastEvent);
  print_resources(out, pipeline);
  if (pipeline.status != "DELETING") print_usage(out, pipeline.name, endpoint);
}

int pipeline_show(const Options& options, const std::string& name, std::ostream& out) {
  const client::Profile profile = read_profile(options);
  client::Client client(profile);
  const auto response =
      client.call<DescribePipelineResponse>(kPipelinesTarget, "DescribePipeline", DescribePipelineRequest{name});
  if (options.json) {
    print_json(out, response);
  } else {
    print_pipeline(out, response.pipeline, profile.endpoint, base::SystemClock().now());
  }
  return 0;
}

}  // namespace cli
