// SPDX-License-Identifier: Apache-2.0
// Arguments of run, ps, stop, logs, nodes, gpus and explain; services and groups have their own files.
#include <iostream>
#include <memory>

#include "cli/arguments.h"

namespace cli {
namespace {

constexpr char kRunExamples[] = R"text(
Examples:
  stoker run --gpus 1 nvcr.io/nvidia/pytorch:24.01-py3 -- python3 train.py
  stoker run --gpus all --detach --name train pytorch -- torchrun train.py
  stoker run --gpu-memory 8000 --gpu-compute 30 -e MODEL=small ocr
  stoker run process -- nvidia-smi        the process driver ignores the image

The exit status is the container's; 1 when no machine can run the task, with an explanation;
125 when the container did not start. Ctrl-C stops the task; a second Ctrl-C leaves it running.
)text";

constexpr char kLogsExamples[] = R"text(
Examples:
  stoker logs 3fa9                  the output of the task whose id begins with 3fa9
  stoker logs -f --tail 20 3fa9     the last 20 lines, and new ones until the task ends
)text";

constexpr char kExplainExamples[] = R"text(
Examples:
  stoker explain 3fa9               why a task waits, or why it stopped
  stoker explain train              where the latest revision can run now; exit status 2 if nowhere
  stoker explain service web        what a service waits for, and what would help
  stoker explain group gpu          why a group has its size, and what it waits for
  stoker explain policy gpu-75      alarms of a scaling policy, and when it can act next

)text";

constexpr int kMaxMiB = 1 << 24;

void add_run(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<RunArguments>();  // shared with the command
  CLI::App* sub = add_cluster_client(app, options, command, "run", "Run a container and show its output",
                                     [&options, given] { return run(options, *given, std::cout, std::cerr); });
  sub->add_option("image", given->image, "The image; the process driver ignores it")->required();
  sub->add_option("command", given->command, "The command, after --");
  sub->add_option("--gpus", given->gpus, "Number of whole GPUs, or all")->type_name("N|all");
  sub->add_option("--gpu-memory", given->gpu_memory_mib, "A share of one GPU: its memory")
      ->check(CLI::Range(1, kMaxMiB))
      ->type_name("MiB");
  sub->add_option("--gpu-compute", given->gpu_compute_percent, "Limit of that GPU's compute")
      ->check(CLI::Range(1, 100))
      ->type_name("PERCENT");
  sub->add_option("--cpu", given->cpu_units, "CPU units, 1024 per core")
      ->check(CLI::Range(1, kMaxMiB))
      ->type_name("UNITS");
  sub->add_option("--memory", given->memory_mib, "Memory limit (none; 512 MiB are reserved)")
      ->check(CLI::Range(4, kMaxMiB))
      ->type_name("MiB");
  sub->add_option("-e,--env", given->environment, "Environment variable; K alone copies the local value. Repeatable")
      ->allow_extra_args(false)
      ->type_name("K=V");
  sub->add_option("--entrypoint", given->entry_point, "Entry point instead of the image's; repeat for each word")
      ->allow_extra_args(false);
  sub->add_option("--name", given->family, "Family of the task definition (run-IMAGE)")->type_name("FAMILY");
  sub->add_flag("-d,--detach", given->detach, "Print the task's id and do not wait");
  sub->footer(kRunExamples);
}

void add_tasks(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<PsArguments>();
  CLI::App* list = add_cluster_client(app, options, command, "ps", "List tasks",
                                      [&options, given] { return ps(options, *given, std::cout); });
  list->add_flag("-a,--all", given->all, "Also tasks that stopped within the last hour, with the reason");
  list->add_flag("--by-service", given->by_service, "Order by service");

  struct StopArguments {
    std::vector<std::string> tasks;
    std::string reason;
  };
  auto stopped = std::make_shared<StopArguments>();
  CLI::App* end = add_cluster_client(app, options, command, "stop", "Stop tasks", [&options, stopped] {
    return stop(options, stopped->tasks, stopped->reason, std::cout);
  });
  end->add_option("task", stopped->tasks, "Task ids, or unique prefixes")->required();
  end->add_option("--reason", stopped->reason, "Reason to record");
}

void add_logs(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<LogArguments>();
  CLI::App* sub = add_cluster_client(app, options, command, "logs", "Print a task's output",
                                     [&options, given] { return logs(options, *given, std::cout, std::cerr); });
  sub->add_option("task", given->task, "Task id, or a unique prefix")->required();
  sub->add_option("container", given->container, "Container name (all)");
  sub->add_flag("-f,--follow", given->follow, "Follow until the task ends");
  sub->add_option("--tail", given->tail, "Number of last lines of each container")->check(CLI::Range(0, 1 << 30));
  sub->add_flag("-t,--timestamps", given->timestamps, "Show the time of each line");
  sub->footer(kLogsExamples);
}

void add_nodes(CLI::App& app, Options& options, Command& command) {
  struct NodeArguments {
    std::string machine;
    bool force = false;
  };
  auto given = std::make_shared<NodeArguments>();
  CLI::App* list = add_cluster_client(app, options, command, "nodes", "List machines; drain, activate or remove one",
                                      [&options] { return nodes(options, std::cout); });
  list->require_subcommand(0, 1);
  // This callback runs after a subcommand's callback and must not override it.
  list->callback([&options, &command, list] {
    if (list->get_subcommands().empty()) command = [&options] { return nodes(options, std::cout); };
  });
  auto add = [&](const char* name, const char* help, NodeChange change) {
    CLI::App* sub = add_cluster_client(*list, options, command, name, help, [&options, given, change] {
      return change_node(options, change, given->machine, given->force, std::cout);
    });
    sub->add_option("machine", given->machine, "Machine name, id, or a unique prefix of the id")->required();
    return sub;
  };
  add("drain", "Place no new tasks on a machine", NodeChange::Drain);
  add("activate", "Place tasks on a machine again", NodeChange::Activate);
  add("remove", "Deregister a machine", NodeChange::Remove)
      ->add_flag("--force", given->force, "Even if tasks run on it: they are abandoned");
}

void add_explain(CLI::App& app, Options& options, Command& command) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* sub = add_cluster_client(app, options, command, "explain",
                                     "Explain why something waits, or where a definition fits", Command());
  sub->add_option("what", *words, "A task id or prefix, a definition, or: service|group|policy NAME")
      ->required()
      ->expected(1, 2);
  sub->callback([&options, &command, words] {
    if (words->size() == 1) {
      command = [&options, words] { return explain(options, words->front(), std::cout); };
      return;
    }
    using Explain = int (*)(const Options&, const std::string&, std::ostream&);
    static const std::map<std::string, Explain> kKinds{
        {"service", &explain_service}, {"group", &explain_group}, {"policy", &explain_policy}};
    const auto kind = kKinds.find(words->front());
    if (kind == kKinds.end()) throw CLI::ExtrasError("explain", {words->back()});
    command = [&options, words, kind] { return kind->second(options, words->back(), std::cout); };
  });
  sub->footer(kExplainExamples);
}

}  // namespace

CLI::App* add_cluster_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command action) {
  CLI::App* sub = add_client(app, options, command, name, help, std::move(action));
  sub->add_option("--cluster", options.cluster, "The cluster")->capture_default_str();
  sub->add_option("--region", options.region, "The region")->capture_default_str();
  sub->add_flag("--json", options.json, "Print JSON");
  return sub;
}

void add_cluster_commands(CLI::App& app, Options& options, Command& command) {
  add_run(app, options, command);
  add_tasks(app, options, command);
  add_service_commands(app, options, command);
  add_scaling_commands(app, options, command);
  add_pipeline_commands(app, options, command);
  add_logs(app, options, command);
  add_nodes(app, options, command);
  add_cluster_client(app, options, command, "gpus", "List GPUs, their load and their tasks",
                     [&options] { return gpus(options, std::cout); });
  add_explain(app, options, command);
}

}  // namespace cli
