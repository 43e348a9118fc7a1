// SPDX-License-Identifier: Apache-2.0
// What the engine reports about a command that it runs, or about a container that a client is attached to. The engine
// notices a start and an end a moment after the stream does, and may be too busy to answer: each of these tries again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/drivers/docker_api.h"
#include "base/result.h"
#include "base/time.h"

namespace agent::drivers {

// Where the engine's calls about a command and about a container differ.
struct DockerTarget {
  std::string inspect, resize;  // "/exec/ID/json", "/exec/ID/resize"
  bool attach = false;          // to the container's own process
  bool terminal = false;
};

struct CommandState {
  bool running = false;
  std::int64_t pid = 0;  // 0: it never had a process
  int code = 0;          // of one that does not run
};

// For the engine to answer, and to notice a start.
inline constexpr base::Duration kEngineLag = std::chrono::seconds(30);

// Returns when the command runs, or has ended already.
boost::asio::awaitable<base::Result<CommandState>> await_start(DockerApi& api, const DockerTarget& target,
                                                               base::Duration lag = kEngineLag);
// Waits without a limit while the command runs: one that has redirected its output may have ended its stream long
// before itself. Returns when `detached` is set, too.
boost::asio::awaitable<base::Result<CommandState>> await_end(DockerApi& api, const DockerTarget& target,
                                                             const bool& detached, base::Duration lag = kEngineLag);

// Tries as often as docker's own command line: the engine rejects the size of a terminal that it is still opening, and a
// size that gets lost stays lost. `over`: the command has ended meanwhile.
boost::asio::awaitable<void> resize_terminal(DockerApi& api, const DockerTarget& target, int rows, int columns,
                                             std::function<bool()> over);

}  // namespace agent::drivers
