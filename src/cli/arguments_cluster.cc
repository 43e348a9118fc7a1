// SPDX-License-Identifier: Apache-2.0
// Arguments of run, ps, stop, logs, nodes, gpus and explain; services and groups have their own files.
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/exec_commands.h"

namespace cli {
namespace {

constexpr char kRunExamples[] = R"text(
Examples:
  stoker run --gpus 1 nvcr.io/nvidia/pytorch:24.01-py3 -- python3 train.py
  stoker run --gpus all --detach --name train pytorch -- torchrun train.py
  stoker run --gpu-memory 8000 --gpu-compute 30 -e MODEL=small ocr
  stoker run -v /data:/data:ro -p 8000:80 --shm-size 8g --env-file .env serve
  stoker run --gpus 8 --wait pytorch -- python3 train.py    wait for 8 free GPUs
  stoker run -it --rm --gpus 1 pytorch -- bash              a terminal in the container
  stoker run process -- nvidia-smi        the process driver ignores the image

The exit status is the container's; 1 when no machine can run the task, with an explanation;
125 when the container did not start; 2 for invalid options. Ctrl-C stops the task; a second Ctrl-C leaves it running.
)text";

constexpr char kPsExamples[] = R"text(
Examples:
  stoker ps -a                                   also stopped tasks, with reasons
  stoker ps -w                                   again after each change
  stoker stop $(stoker ps -q --filter family=train)
  stoker ps --format '{{.ShortID}} {{.Machine}} {{.GPUs}}'

Fields of --format: ARN, Definition, Family, GPUs, Group, ID, Machine, Ran,
Reason, Service, ShortID, StartedBy, Status. Columns that do not fit the screen
are cut; COLUMNS=200 stoker ps shows more, --json everything.
)text";

constexpr char kMachineHelp[] = "Machine name, id, or a unique prefix of the id";

constexpr char kLogsExamples[] = R"text(
Examples:
  stoker logs 3fa9                  the output of the task whose id begins with 3fa9
  stoker logs -f --tail 20 3fa9     the last 20 lines, and new ones until the task ends
  stoker logs web --since 10m       all tasks of the service or family web
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
constexpr int kMaxCount = 1000;

void add_run(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<RunArguments>();  // shared with the command
  CLI::App* sub = add_cluster_client(app, options, command, "run", "Run a container and show its output", Command());
  sub->callback([&options, &command, given] {
    const Command action = [&options, given] { return run_or_attach(options, *given, std::cout, std::cerr); };
    command = client_command(options, action, WhenClosed::CommandActs);
  });
  sub->add_option("image", given->image, "The image; the process driver ignores it")->required();
  sub->add_option("command", given->command, "The command, after --");
  sub->add_option("--gpus", given->gpus, "Number of whole GPUs, or all")->type_name("N|all");
  sub->add_option("--gpu-memory", given->gpu_memory_mib, "A share of one GPU: its memory")
      ->check(CLI::Range(1, kMaxMiB))
      ->type_name("MiB");
  sub->add_option("--gpu-compute", given->gpu_compute_percent, "Limit of that GPU's compute")
      ->check(CLI::Range(1, 100))
      ->type_name("PERCENT");
  CLI::Option* units = sub->add_option("--cpu", given->cpu_units, "CPU units, 1024 per core")
                           ->check(CLI::Range(1, kMaxMiB))
                           ->type_name("UNITS");
  sub->add_option("--cpus", given->cores, "CPU as a number of cores, such as 1.5")->excludes(units)->type_name("CORES");
  sub->add_option("-m,--memory", given->memory, "Memory limit in MiB, or as 4g (none; 512 MiB are reserved)")
      ->type_name("SIZE");
  sub->add_option("-e,--env", given->environment, "Environment variable; K alone copies the local value. Repeatable")
      ->allow_extra_args(false)
      ->type_name("K=V");
  sub->add_option("--env-file", given->environment_files, "File of K=V lines. Repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE");
  sub->add_option("-v,--volume", given->volumes, "Path or volume of the machine, in the container. Repeatable")
      ->allow_extra_args(false)
      ->type_name("SRC:DST[:ro]");
  sub->add_option("-p,--publish", given->ports, "Port of the machine for a port of the container. Repeatable")
      ->allow_extra_args(false)
      ->type_name("[HOST:]CTR[/udp]");
  sub->add_option("--shm-size", given->shm_size, "Size of /dev/shm (64m)")->type_name("SIZE");
  sub->add_option("-w,--workdir", given->working_directory, "Working directory in the container")->type_name("DIR");
  sub->add_option("-u,--user", given->user, "User in the container")->type_name("UID[:GID]");
  sub->add_option("--entrypoint", given->entry_point, "Entry point instead of the image's; repeat for each word")
      ->allow_extra_args(false);
  sub->add_option("--name", given->family, "Family of the task definition (run-IMAGE)")->type_name("FAMILY");
  sub->add_option("--role", given->role, "Role of the task: with one it has credentials of its account (none)")
      ->type_name("NAME|ARN");
  sub->add_option("--count", given->count, "Number of tasks; more than 1 needs --detach")
      ->check(CLI::Range(1, kMaxCount))
      ->type_name("N");
  CLI::Option* machine = sub->add_option("--on", given->machine, "Machine that runs it: its name or id")->type_name("MACHINE");
  sub->add_option("--constraint", given->constraints, "Machines it may run on: an expression of memberOf. Repeatable")
      ->allow_extra_args(false)
      ->excludes(machine)
      ->type_name("EXPR");
  sub->add_flag("--wait", given->wait, "If no machine has room now, wait in a queue: the oldest task starts first");
  sub->add_flag("--rm", given->remove, "Delete the task definition's revision at the end, if this command created it");
  sub->add_flag("-d,--detach", given->detach, "Print the task's id and do not wait for its end");
  sub->add_flag("-i,--interactive", given->interactive, "Forward standard input to the container");
  sub->add_flag("-t,--tty", given->tty, "Give the container a terminal, and attach this one to it");
  sub->footer(kRunExamples);
}

void add_tasks(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<PsArguments>();
  CLI::App* list = add_cluster_client(app, options, command, "ps", "List tasks",
                                      [&options, given] { return ps(options, *given, std::cout); });
  list->add_flag("-a,--all", given->all, "Also tasks that stopped within the last hour, with the reason; of PENDING tasks, what they pull");
  list->add_flag("--by-service", given->by_service, "Order by service");
  list->add_flag("-q,--quiet", given->quiet, "Print ids only");
  list->add_flag("-w,--watch", given->watch, "Print again after each change, until Ctrl-C");
  list->add_option("--filter", given->filters, "Only these: status, family, service, machine, id, started-by. Repeatable")
      ->allow_extra_args(false)
      ->type_name("K=V");
  list->add_option("--format", given->format, "Text of each task: {{.ID}}, {{.Status}}, {{.Machine}}, ...; or json")->type_name("TEMPLATE");
  list->footer(kPsExamples);

  struct StopArguments {
    std::vector<std::string> tasks;
    std::string reason;
  };
  auto stopped = std::make_shared<StopArguments>();
  CLI::App* end = add_cluster_client(app, options, command, "stop", "Stop tasks", [&options, stopped] {
    return stop(options, stopped->tasks, stopped->reason, std::cout);
  });
  end->add_option("task", stopped->tasks, "Task ids, unique prefixes, or families with one task")->required();
  end->add_option("--reason", stopped->reason, "Reason to record");
}

void add_logs(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<LogArguments>();
  CLI::App* sub = add_cluster_client(app, options, command, "logs", "Print the output of a task, family or service",
                                     [&options, given] { return logs(options, *given, std::cout, std::cerr); });
  sub->add_option("task", given->task, "Task id, a unique prefix, a family, or a service")->required();
  CLI::Option* container = sub->add_option("container", given->container, "Container name (all)");
  sub->add_option("-c,--container", given->container, "The same as an option, as of `stoker exec`")
      ->excludes(container)
      ->type_name("NAME");
  sub->add_flag("-f,--follow", given->follow, "Follow until the task ends");
  sub->add_option("--since", given->since, "Lines since then: 10m, 2026-11-18T12:00:00Z, or seconds since 1970")
      ->type_name("TIME");
  sub->add_option("-n,--tail", given->tail, "Number of last lines of each container")->check(CLI::Range(0, 1 << 30));
  sub->add_flag("-t,--timestamps", given->timestamps, "Show the time of each line");
  sub->footer(kLogsExamples);
}

void add_watch(CLI::App* command, bool& watch) {
  command->add_flag("-w,--watch", watch, "Print again after each change, until Ctrl-C");
}

// `drain` is also a command of its own.
void add_drain(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<NodeArguments>();
  CLI::App* drain = add_cluster_client(app, options, command, "drain", "Place no new tasks on a machine",
                                       [&options, given] { return change_node(options, *given, std::cout, std::cerr); });
  drain->add_option("machine", given->machine, kMachineHelp)->required();
  drain->add_flag("--wait", given->wait, "Until it has no tasks");
}

void add_nodes(CLI::App& app, Options& options, Command& command) {
  auto watch = std::make_shared<bool>(false);
  const Command print = [&options, watch] { return nodes(options, *watch, std::cout); };
  CLI::App* list =
      add_cluster_client(app, options, command, "nodes", "List machines; drain, activate or remove one", print);
  add_watch(list, *watch);
  list->require_subcommand(0, 1);
  // This callback runs after a subcommand's callback and must not override it.
  list->callback([&options, &command, list, print] {
    if (list->get_subcommands().empty()) command = client_command(options, print);
  });
  add_drain(*list, options, command);
  auto add = [&](const char* name, const char* help, NodeChange change) {
    auto given = std::make_shared<NodeArguments>(NodeArguments{.change = change, .machine = {}});
    CLI::App* sub = add_cluster_client(*list, options, command, name, help, [&options, given] {
      return change_node(options, *given, std::cout, std::cerr);
    });
    sub->add_option("machine", given->machine, kMachineHelp)->required();
    if (change == NodeChange::Remove) sub->add_flag("--force", given->force, "Even if tasks run on it: they are abandoned");
  };
  add("activate", "Place tasks on a machine again", NodeChange::Activate);
  add("remove", "Remove a machine for good: its key ends, and only a new join token brings it back", NodeChange::Remove);
}

void add_gpus(CLI::App& app, Options& options, Command& command) {
  auto watch = std::make_shared<bool>(false);
  CLI::App* list = add_cluster_client(app, options, command, "gpus", "List GPUs, their load and their tasks",
                                      [&options, watch] { return gpus(options, *watch, std::cout); });
  add_watch(list, *watch);
}

void add_observation(CLI::App& app, Options& options, Command& command) {
  auto tasks = std::make_shared<std::vector<std::string>>();
  add_cluster_client(app, options, command, "wait", "Wait until tasks have stopped, and print their exit codes",
                     [&options, tasks] { return wait(options, *tasks, std::cout); })
      ->add_option("task", *tasks, "Task ids, unique prefixes, or families with one task")
      ->required();
  auto names = std::make_shared<std::vector<std::string>>();
  add_cluster_client(app, options, command, "inspect", "Print all details as JSON",
                     [&options, names] { return inspect(options, *names, std::cout); })
      ->add_option("name", *names, "Tasks, machines, services or task definitions")
      ->required();
  add_cluster_client(app, options, command, "events", "Print changes of tasks and machines as they happen",
                     [&options] { return events(options, std::cout); });
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
      command = client_command(options, [&options, words] { return explain(options, words->front(), std::cout); });
      return;
    }
    using Explain = int (*)(const Options&, const std::string&, std::ostream&);
    static const std::map<std::string, Explain> kKinds{
        {"service", &explain_service}, {"group", &explain_group}, {"policy", &explain_policy}};
    const auto kind = kKinds.find(words->front());
    if (kind == kKinds.end()) {
      throw CLI::ValidationError("expected service, group or policy before '" + words->back() + "', not '" + words->front() + "'");
    }
    command = client_command(options, [&options, words, kind] { return kind->second(options, words->back(), std::cout); });
  });
  sub->footer(kExplainExamples);
}

}  // namespace

void add_cluster_commands(CLI::App& app, Options& options, Command& command) {
  add_run(app, options, command);
  add_exec_commands(app, options, command);
  add_tasks(app, options, command);
  add_service_commands(app, options, command);
  add_scaling_commands(app, options, command);
  add_pipeline_commands(app, options, command);
  add_logs(app, options, command);
  add_nodes(app, options, command);
  add_gpus(app, options, command);
  add_drain(app, options, command);
  add_observation(app, options, command);
  add_explain(app, options, command);
}

}  // namespace cli
