// SPDX-License-Identifier: Apache-2.0
// Arguments of exec, attach and cp.
#include <memory>
#include <utility>

#include "cli/arguments.h"
#include "cli/exec_commands.h"

namespace cli {
namespace {

// These commands write to the descriptors themselves, and notice a closed pipe.
CLI::App* add_session_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command action) {
  CLI::App* sub = add_client(app, options, command, name, help, Command());
  add_cluster(sub, options);
  add_region(sub, options);
  sub->callback([&options, &command, action = std::move(action)] {
    command = client_command(options, action, WhenClosed::CommandActs);
  });
  return sub;
}

constexpr char kTaskHelp[] = "Task id, a unique prefix, or the family or service of a single task";

constexpr char kExecExamples[] = R"text(
Examples:
  stoker exec -it 3fa9 -- bash                       a shell in the task whose id begins with 3fa9
  stoker exec -it train -- bash                      in the only task of `stoker run --name train`
  stoker exec 3fa9 -c worker -- nvidia-smi           in one of several containers
  stoker exec -i 3fa9 -- tar -xzf - -C /data < data.tar.gz

The exit status is the command's: 126 when it can't be run, 127 when it does not exist, 255 when the
container can't be entered, 1 when the session could not be opened or was lost, 130 after Ctrl-C
without a terminal.
)text";

constexpr char kAttachExamples[] = R"text(
Examples:
  stoker attach 3fa9                input goes to the container's own process; Ctrl-P Ctrl-Q detaches
)text";

constexpr char kCopyExamples[] = R"text(
Examples:
  stoker cp 3fa9:/data/model.pt .             from a container
  stoker cp config.yaml 3fa9:/etc/app/        into a container
  stoker cp 3fa9:/data - | tar -t             as a tar archive on standard output
The container needs the program tar.
)text";

void add_exec(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<ExecArguments>();  // shared with the command
  CLI::App* sub = add_session_client(app, options, command, "exec", "Run a command in a running container",
                                     [&options, given] { return exec(options, *given); });
  sub->add_option("task", given->task, kTaskHelp)->required();
  sub->add_option("command", given->command, "The command, after --")->required();
  sub->add_option("-c,--container", given->container, "Container name, of a task with several");
  sub->add_flag("-i,--interactive", given->interactive, "Forward standard input");
  sub->add_flag("-t,--tty", given->tty, "Use a terminal");
  sub->footer(kExecExamples);
}

void add_attach(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<AttachArguments>();
  CLI::App* sub = add_session_client(app, options, command, "attach", "Attach to a container's own process",
                                     [&options, given] { return attach(options, *given); });
  sub->add_option("task", given->task, kTaskHelp)->required();
  sub->add_option("-c,--container", given->container, "Container name, of a task with several");
  sub->add_flag("--no-stdin", given->no_input, "Only show its output");
  sub->footer(kAttachExamples);
}

void add_copy(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<CopyArguments>();
  CLI::App* sub = add_session_client(app, options, command, "cp", "Copy files to or from a running container",
                                     [&options, given] { return copy(options, *given); });
  sub->add_option("source", given->source, "A path, TASK:PATH, or - for a tar archive")->required();
  sub->add_option("target", given->target, "A path, TASK:PATH, or - for a tar archive")->required();
  sub->add_option("-c,--container", given->container, "Container name, of a task with several");
  sub->footer(kCopyExamples);
}

}  // namespace

void add_exec_commands(CLI::App& app, Options& options, Command& command) {
  add_exec(app, options, command);
  add_attach(app, options, command);
  add_copy(app, options, command);
}

}  // namespace cli
