// SPDX-License-Identifier: Apache-2.0
// What a process that reads hostile files may do. Every function concerns the calling process and what it executes,
// needs no privileges and can't be undone.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace ocr {

struct ResourceLimits {
  std::int64_t memory_bytes = 0;  // of address space; 0: no limit
  base::Duration cpu{};           // 0: no limit
  std::int64_t file_bytes = 0;    // of each file that it writes; 0: no limit
};

// Also: no core dumps, and it ends with the thread that started it. Throws std::system_error.
void limit_resources(const ResourceLimits& limits);

// Leaves the machine's network, where the kernel lets everyone create user namespaces. The filters of system calls
// reject sockets anywhere.
void leave_network();

// The process can read programs, libraries and fonts, write to no file but those that are open already, and see nothing
// else. Does nothing on a kernel without Landlock.
void hide_files();

// Rejects calls with which a process reaches others, the network or the kernel's less used parts. Throws
// std::system_error.
void filter_calls();

// Allows only what it takes to compute and to use open descriptors: no open, no socket, no new process or thread.
// Throws std::system_error.
void allow_computing_only();

}  // namespace ocr
