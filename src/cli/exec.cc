// SPDX-License-Identifier: Apache-2.0
// stoker exec, stoker attach
#include <unistd.h>

#include <stdexcept>

#include "cli/exec_commands.h"
#include "cli/exec_session.h"
#include "wire/error.h"

namespace cli {

int exec(const Options& options, const ExecArguments& arguments) {
  const SessionSignals signals;  // before the client starts threads
  ClusterClient client(options);
  SessionOptions session;
  session.request = session_request(client, arguments.task, arguments.container);
  session.request.command = arguments.command;
  session.request.interactive = arguments.interactive;
  if (arguments.tty) use_terminal(session.request);
  try {
    return run_session(client, session, signals).status;
  } catch (const wire::ApiError& error) {
    // docker's `exec TASK sh -c SCRIPT`: here -c is an option of this command.
    if (!arguments.container || error.message().find("was not found in the task") == error.message().npos) throw;
    throw std::runtime_error(error.message() + " -c names a container: options of the command go after --");
  }
}

int attach(const Options& options, const AttachArguments& arguments) {
  const SessionSignals signals;
  ClusterClient client(options);
  SessionOptions session;
  session.request = session_request(client, arguments.task, arguments.container);
  session.request.attach = true;
  session.request.interactive = !arguments.no_input;
  if (!arguments.no_input && ::isatty(STDIN_FILENO)) use_terminal(session.request);
  session.detach_keys = session.request.tty.value_or(false);  // elsewhere the same bytes are data
  return run_session(client, session, signals).status;
}

}  // namespace cli
