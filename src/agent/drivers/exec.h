// SPDX-License-Identifier: Apache-2.0
// A command in a running container, beside the container's own: `docker exec`. Or, with `attach`, a view of the
// container's own first process.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::drivers {

inline constexpr std::size_t kMaxExecPiece = 32 * 1024;  // of output

// Between SIGHUP and SIGKILL, for a command whose client is gone.
inline constexpr base::Duration kExecHangUpTime = std::chrono::seconds(3);

struct ExecRequest {
  std::vector<std::string> command;  // without `attach`
  bool attach = false;
  bool logs = false;   // with `attach`: the output so far comes first
  bool input = false;  // stdin is open; otherwise it is /dev/null
  bool terminal = false;
  int rows = 0, columns = 0;  // of the terminal; 0: not known
  std::string term;           // the variable TERM; "": xterm-256color
};

enum class ExecSource { Stdout, Stderr, End };

struct ExecOutput {
  ExecSource source = ExecSource::End;
  std::string bytes = {};
};

struct ExecEnd {
  int code = 0;             // 128 and the signal that killed it; 126 or 127: it could not be started
  std::string reason = {};  // why it could not be started, or why its end is not known
};

// Called on the agent's thread, by one reader of output and one writer of input. Destroying it is hang_up(); an attached
// process runs on.
class ExecStream {
 public:
  virtual ~ExecStream() = default;

  virtual std::int64_t pid() const = 0;  // on this machine; 0: not known

  // At most kMaxExecPiece. Waits without a limit.
  virtual boost::asio::awaitable<ExecOutput> read() = 0;
  // Returns when the command's input has taken it, whatever that takes. False: the command reads no more.
  virtual boost::asio::awaitable<bool> write(std::string bytes) = 0;
  virtual boost::asio::awaitable<void> end_input() = 0;
  virtual boost::asio::awaitable<void> resize(int rows, int columns) = 0;
  // To all processes of the command's session.
  virtual boost::asio::awaitable<void> signal(int number) = 0;
  // The client is gone: SIGHUP, and SIGKILL after kExecHangUpTime. read() then ends.
  virtual boost::asio::awaitable<void> hang_up() = 0;
  // After the end of the output.
  virtual boost::asio::awaitable<ExecEnd> end() = 0;
};

// xterm-256color, as in sessions of ECS, unless the client has sent its own.
std::string exec_term(const ExecRequest& request);

}  // namespace agent::drivers
