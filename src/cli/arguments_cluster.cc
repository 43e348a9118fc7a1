// SPDX-License-Identifier: Apache-2.0
// Arguments of run, ps, stop, logs, nodes, gpus and explain: what is done with a cluster.
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
  stoker run process -- nvidia-smi        with the process driver any word will do for an image

Its exit status is the container's; 1 where no machine can take the task, which it explains;
125 where the container never ran. Ctrl-C tells the task to stop, a second one leaves it.
)text";

constexpr char kLogsExamples[] = R"text(
Examples:
  stoker logs 3fa9                  of the task whose id begins so
  stoker logs -f --tail 20 3fa9     the last lines, and those to come until it ends
)text";

constexpr char kExplainExamples[] = R"text(
Examples:
  stoker explain 3fa9               what a task waits for, or why it stopped
  stoker explain train              where the latest revision could be placed now, or why not: exit status 2

)text";

constexpr int kMaxMiB = 1 << 24;

CLI::App* add_cluster_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command does) {
  CLI::App* sub = add_client(app, options, command, name, help, std::move(does));
  sub->add_option("--cluster", options.cluster, "The cluster")->capture_default_str();
  sub->add_option("--region", options.region, "The region that clients name")->capture_default_str();
  sub->add_flag("--json", options.json, "Print JSON");
  return sub;
}

void add_run(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<RunArguments>();  // as long as the command that reads it
  CLI::App* sub = add_cluster_client(app, options, command, "run", "Run a container, with its output here",
                                     [&options, given] { return run(options, *given, std::cout, std::cerr); });
  sub->add_option("image", given->image, "Its image; means nothing to the process driver: any word, as `process`")
      ->required();
  sub->add_option("command", given->command, "What it runs, after --");
  sub->add_option("--gpus", given->gpus, "Whole GPUs: a number, or all")->type_name("N|all");
  sub->add_option("--gpu-memory", given->gpu_memory_mib, "A share of a GPU, by its memory")
      ->check(CLI::Range(1, kMaxMiB))
      ->type_name("MiB");
  sub->add_option("--gpu-compute", given->gpu_compute_percent, "At most so much of that GPU's compute")
      ->check(CLI::Range(1, 100))
      ->type_name("PERCENT");
  sub->add_option("--cpu", given->cpu_units, "CPU units, 1024 a core")->check(CLI::Range(1, kMaxMiB))->type_name("UNITS");
  sub->add_option("--memory", given->memory_mib, "The limit of its memory (none; 512 are reserved)")
      ->check(CLI::Range(4, kMaxMiB))
      ->type_name("MiB");
  sub->add_option("-e,--env", given->environment, "A variable; K alone has the value that it has here. Several times")
      ->allow_extra_args(false)
      ->type_name("K=V");
  sub->add_option("--entrypoint", given->entry_point, "Instead of the image's. Several times: its words")
      ->allow_extra_args(false);
  sub->add_option("--name", given->family, "The task definition's family (run- and the image's name)")
      ->type_name("FAMILY");
  sub->add_flag("-d,--detach", given->detach, "Print the task's id and leave it running");
  sub->footer(kRunExamples);
}

void add_tasks(CLI::App& app, Options& options, Command& command) {
  auto all = std::make_shared<bool>(false);
  CLI::App* list = add_cluster_client(app, options, command, "ps", "List tasks",
                                      [&options, all] { return ps(options, *all, std::cout); });
  list->add_flag("-a,--all", *all, "Those that stopped within the hour, too, and why");

  struct Stopped {
    std::vector<std::string> tasks;
    std::string reason;
  };
  auto stopped = std::make_shared<Stopped>();
  CLI::App* end = add_cluster_client(app, options, command, "stop", "Stop tasks", [&options, stopped] {
    return stop(options, stopped->tasks, stopped->reason, std::cout);
  });
  end->add_option("task", stopped->tasks, "Their ids, or how those begin")->required();
  end->add_option("--reason", stopped->reason, "Shown as why they stopped");
}

void add_logs(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<LogArguments>();
  CLI::App* sub = add_cluster_client(app, options, command, "logs", "Print a task's output",
                                     [&options, given] { return logs(options, *given, std::cout, std::cerr); });
  sub->add_option("task", given->task, "Its id, or how that begins")->required();
  sub->add_option("container", given->container, "One of its containers (all)");
  sub->add_flag("-f,--follow", given->follow, "Go on until the task ends");
  sub->add_option("--tail", given->tail, "The last so many lines of each container")->check(CLI::Range(0, 1 << 30));
  sub->add_flag("-t,--timestamps", given->timestamps, "When each line was written");
  sub->footer(kLogsExamples);
}

void add_nodes(CLI::App& app, Options& options, Command& command) {
  struct Given {
    std::string machine;
    bool force = false;
  };
  auto given = std::make_shared<Given>();
  CLI::App* list = add_cluster_client(app, options, command, "nodes", "List machines; drain, activate, remove one",
                                      [&options] { return nodes(options, std::cout); });
  list->require_subcommand(0, 1);
  // A command's own callback comes after its subcommand's, whose word counts.
  list->callback([&options, &command, list] {
    if (list->get_subcommands().empty()) command = [&options] { return nodes(options, std::cout); };
  });
  auto add = [&](const char* name, const char* help, NodeChange change) {
    CLI::App* sub = add_cluster_client(*list, options, command, name, help, [&options, given, change] {
      return change_node(options, change, given->machine, given->force, std::cout);
    });
    sub->add_option("machine", given->machine, "Its name, its id, or how that begins")->required();
    return sub;
  };
  add("drain", "Give it no new tasks", NodeChange::Drain);
  add("activate", "Give it tasks again", NodeChange::Activate);
  add("remove", "Deregister it", NodeChange::Remove)
      ->add_flag("--force", given->force, "Even where tasks run on it: they are given up");
}

}  // namespace

void add_cluster_commands(CLI::App& app, Options& options, Command& command) {
  add_run(app, options, command);
  add_tasks(app, options, command);
  add_logs(app, options, command);
  add_nodes(app, options, command);
  add_cluster_client(app, options, command, "gpus", "List GPUs, their load, and who holds them",
                     [&options] { return gpus(options, std::cout); });
  auto what = std::make_shared<std::string>();
  CLI::App* sub = add_cluster_client(app, options, command, "explain", "Say why a task waits or stopped, or what fits where",
                                     [&options, what] { return explain(options, *what, std::cout); });
  sub->add_option("what", *what, "A task's id or how that begins, or a task definition")->required();
  sub->footer(kExplainExamples);
}

}  // namespace cli
