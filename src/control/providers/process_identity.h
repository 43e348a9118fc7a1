// SPDX-License-Identifier: Apache-2.0
// Processes across restarts of the server: a process id alone may belong to another process by then.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace control::providers {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since the machine's boot
  std::string boot;
  bool operator==(const ProcessIdentity&) const = default;
};

// "4711 123456 0d6e...": the id, the start, the boot.
std::string text(const ProcessIdentity& identity);
std::optional<ProcessIdentity> parse_identity(const std::string& text);

// Nothing where the process has ended.
std::optional<ProcessIdentity> identify(pid_t pid);
bool is_alive(const ProcessIdentity& identity);

// A process with these two neighbouring words in its command line, and without the word `except`.
std::optional<ProcessIdentity> find_process(const std::string& option, const std::string& value,
                                            const std::string& except);

// Also for processes that are not our children. False: it has not ended within this time.
boost::asio::awaitable<bool> wait_for_end(ProcessIdentity identity, std::optional<base::Duration> within);

// Nothing happens where the process has ended.
void send_signal(const ProcessIdentity& identity, int signal);
// If it is an ended child of ours, the kernel forgets it: its exit status, or 128 plus its signal.
std::optional<int> reap(const ProcessIdentity& identity);

}  // namespace control::providers
