// SPDX-License-Identifier: Apache-2.0
// Reads stored bytes again and compares them with their checksums.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "base/checksum.h"
#include "objects/disk_threads.h"
#include "objects/files.h"

namespace objects {

struct Expected {
  std::uint64_t size = 0;
  std::map<base::Checksum, std::string> checksums;  // raw
};

struct Verdict {
  enum Kind { Whole, Missing, Short, Long, Damaged, Unreadable };
  Kind kind = Whole;
  std::string detail;
};

Verdict verify_bytes(std::string_view bytes, const Expected& expected);
Verdict verify_file_now(const Files& files, const std::string& name, const Expected& expected);
// In slices, so that other works get their turn on the disk threads.
boost::asio::awaitable<Verdict> verify_file(Files& files, DiskThreads& disk, std::string name, Expected expected);

}  // namespace objects
