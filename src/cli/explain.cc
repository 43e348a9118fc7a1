// SPDX-License-Identifier: Apache-2.0
// stoker explain
#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "cli/explanation.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/shortage.h"
#include "cli/table.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

using namespace shapes::stoker;

constexpr int kNotPlaceable = 2;

bool may_be_task_id(const std::string& text) {
  if (text.starts_with("arn:")) return text.find(":task/") != text.npos;
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

StokerExplainResponse explain_task(ClusterClient& client, const std::string& id) {
  return client.call<StokerExplainResponse>("StokerExplain",
                                            StokerExplainRequest{.cluster = client.cluster(), .task = id});
}

StokerExplainResponse explain_named(ClusterClient& client, const std::string& name) {
  try {
    return explain_definition(client, name);
  } catch (const wire::ApiError& error) {
    if (error.code() != "ClientException") throw;
    throw std::runtime_error(name + ": " + error.message() + " For others: `stoker explain service|group|policy NAME`");
  }
}

StokerExplainResponse explain_task_or_definition(ClusterClient& client, const std::string& what) {
  if (!may_be_task_id(what)) return explain_named(client, what);
  std::string id;
  try {
    id = client.find_task(what);
  } catch (const std::runtime_error& no_task) {
    if (what.starts_with("arn:")) throw;
    try {
      return explain_definition(client, what);  // a family may be called "cafe"
    } catch (const wire::ApiError&) {
      throw std::runtime_error(no_task.what());
    }
  }
  return explain_task(client, id);
}

void print(std::ostream& out, const Options& options, const StokerExplainResponse& explanation) {
  if (options.json) {
    print_json(out, explanation);
  } else {
    print_explanation(out, explanation);
  }
}

// The reply's members about a definition, with the tasks of its family that are not over.
struct ExplainedDefinition {
  std::vector<std::string> sentences;
  std::optional<std::string> taskDefinitionArn;
  std::optional<StokerPlacement> placement;
  std::optional<StokerMachineVerdict> nearest;
  std::optional<std::vector<StokerMachineVerdict>> machines;
  bool more = false;
  std::vector<shapes::ecs::Task> tasks;
};
BOOST_DESCRIBE_STRUCT(ExplainedDefinition, (), (sentences, taskDefinitionArn, placement, nearest, machines, more, tasks))

std::vector<shapes::ecs::Task> tasks_of(ClusterClient& client, const std::string& definition) {
  const std::string family = definition.substr(0, definition.rfind(':'));
  std::vector<shapes::ecs::Task> tasks = client.running_tasks();
  std::erase_if(tasks, [&](const shapes::ecs::Task& task) {
    const std::string name = family_and_revision(task.taskDefinitionArn.value_or(""));
    return name.substr(0, name.rfind(':')) != family;
  });
  return tasks;
}

void print_tasks_of(ClusterClient& client, const std::string& definition, const std::vector<shapes::ecs::ContainerInstance>& machines,
                    const std::vector<StokerGpuState>& gpus, std::ostream& out) {
  TaskContext context{machine_names(machines), {}, base::SystemClock().now()};
  for (const StokerGpuState& gpu : gpus) context.gpus[gpu.gpuId] = gpu;
  Rows rows{{"TASK", "FAMILY:REV", "STATUS", "GPUS", "MACHINE", "STARTED", "GROUP / BY"}};
  for (const shapes::ecs::Task& task : tasks_of(client, definition)) rows.push_back(task_row(task, context, false));
  if (rows.size() == 1) return;
  print_table(out, rows);
  out << '\n';
}

// The verdicts with everything that is missing, the nearest first.
void add_shortages(ClusterClient& client, const std::vector<shapes::ecs::ContainerInstance>& machines,
                   const std::vector<StokerGpuState>& gpus, StokerExplainResponse& explanation) {
  using namespace shapes::ecs;
  DescribeTaskDefinitionRequest request{explanation.taskDefinitionArn.value_or(""), std::nullopt};
  const auto described = client.call<DescribeTaskDefinitionResponse>("DescribeTaskDefinition", request);
  const TaskNeeds needs = needs_of(described.taskDefinition.value_or(TaskDefinition()));
  std::vector<MachineReport> reports;
  for (StokerMachineVerdict& verdict : *explanation.machines) {
    MachineReport report{std::move(verdict), {}};
    const std::string arn = report.verdict.containerInstanceArn;
    const auto machine = std::ranges::find(machines, arn, [](const ContainerInstance& one) { return one.containerInstanceArn.value_or(""); });
    if (machine != machines.end() && !report.verdict.fits) {
      std::vector<StokerGpuState> own = gpus;
      std::erase_if(own, [&](const StokerGpuState& gpu) { return gpu.containerInstanceArn != arn; });
      report.shortage = shortage_of(needs, *machine, own);
    }
    reports.push_back(std::move(report));
  }
  sort_by_cost(reports);
  explanation.machines->clear();
  for (MachineReport& report : reports) {
    std::string texts;
    for (const std::string& text : report.shortage.texts) texts += (texts.empty() ? "" : "; ") + text;
    const bool resource = report.verdict.reason.value_or("").starts_with("RESOURCE:");
    // Ports and shares of GPUs are resources that only the server counts.
    if (!texts.empty()) report.verdict.detail = resource ? texts : report.verdict.detail.value_or("") + "; " + texts;
    explanation.machines->push_back(std::move(report.verdict));
  }
}

void print_definition(ClusterClient& client, const Options& options, StokerExplainResponse explanation, std::ostream& out) {
  const std::vector<shapes::ecs::ContainerInstance> machines = client.instances();
  const std::vector<StokerGpuState> gpus = client.gpus();
  if (explanation.machines && explanation.taskDefinitionArn) add_shortages(client, machines, gpus, explanation);
  if (options.json) {
    ExplainedDefinition printed{explanation.sentences, explanation.taskDefinitionArn, explanation.placement,
                                explanation.nearest,   explanation.machines,          explanation.more,
                                {}};
    if (printed.taskDefinitionArn) printed.tasks = tasks_of(client, family_and_revision(*printed.taskDefinitionArn));
    return print_json(out, printed);
  }
  if (explanation.taskDefinitionArn) {
    print_tasks_of(client, family_and_revision(*explanation.taskDefinitionArn), machines, gpus, out);
  }
  print_explanation(out, explanation);
}

}  // namespace

StokerExplainResponse explain_definition(ClusterClient& client, const std::string& definition) {
  StokerExplainRequest request{.cluster = client.cluster(), .taskDefinition = definition};
  return client.call<StokerExplainResponse>("StokerExplain", request);
}

void print_explanation(std::ostream& out, const StokerExplainResponse& explanation) {
  for (const std::string& sentence : explanation.sentences) out << terminal_text(with_short_ids(sentence)) << '\n';
  if (!explanation.machines || explanation.machines->empty()) return;
  std::map<std::string, std::string> names;
  for (const StokerMachineVerdict& verdict : *explanation.machines) names[verdict.containerInstanceArn] = verdict.machine;
  names = distinct_names(names);
  Rows rows{{"MACHINE", "FITS", "WHY NOT"}};
  for (const StokerMachineVerdict& verdict : *explanation.machines) {
    const bool known = !verdict.containerInstanceArn.empty();
    std::string why = with_short_ids(verdict.detail.value_or(""));
    if (why.starts_with(verdict.machine + ": ")) why = why.substr(verdict.machine.size() + 2);
    rows.push_back(
        {known ? names[verdict.containerInstanceArn] : verdict.machine, verdict.fits ? "yes" : "no", why + (verdict.reason ? " [" + *verdict.reason + "]" : "")});
  }
  out << '\n';
  print_table(out, rows);
  if (explanation.more) out << "more machines are not shown\n";
}

int explain(const Options& options, const std::string& what, std::ostream& out) {
  ClusterClient client(options);
  const StokerExplainResponse explanation = explain_task_or_definition(client, what);
  if (explanation.state || !explanation.taskDefinitionArn) {
    print(out, options, explanation);
  } else {
    print_definition(client, options, explanation, out);
  }
  return explanation.state || explanation.placement ? 0 : kNotPlaceable;
}

int explain_service(const Options& options, const std::string& service, std::ostream& out) {
  ClusterClient client(options);
  StokerExplainRequest request{.cluster = client.cluster()};
  request.service = service;
  try {
    print(out, options, client.call<StokerExplainResponse>("StokerExplain", request));
  } catch (const wire::ApiError& error) {
    if (error.code() != "ServiceNotFoundException") throw;
    throw client.no_such_service(service);
  }
  return 0;
}

}  // namespace cli
