// SPDX-License-Identifier: Apache-2.0
// One session of Exec on the command line: standard input, output and error of a command in a container.
#pragma once

#include <string>

#include "cli/cluster_client.h"
#include "cli/raw_terminal.h"
#include "shapes/stoker/exec.h"

namespace cli {

inline constexpr int kSessionFailed = 1;  // it ended without an exit code

struct SessionStreams {
  int input = 0, output = 1, error = 2;  // descriptors
};

struct SessionOptions {
  shapes::stoker::StokerExecRequest request;  // its cluster is the client's
  SessionStreams streams = {};
  bool detach_keys = false;  // Ctrl-P Ctrl-Q ends the session
};

struct SessionEnd {
  // The exit code of the command, 128 + n after a signal, or kSessionFailed with a line on the standard error.
  int status = 0;
  bool left = false;     // by the detach keys or a signal
  bool exited = false;   // `status` is the command's own
  bool printed = false;  // some output
};
// Runs it to its end. `signals` were made before any thread.
SessionEnd run_session(ClusterClient& client, const SessionOptions& options, const SessionSignals& signals);

// The ids of the task and container that a command names.
shapes::stoker::StokerExecRequest session_request(ClusterClient& client, const std::string& task,
                                                  const std::optional<std::string>& container);

// Makes the request use the terminal of standard input. Throws where it is none.
void use_terminal(shapes::stoker::StokerExecRequest& request);

}  // namespace cli
