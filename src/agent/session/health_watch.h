// SPDX-License-Identifier: Apache-2.0
// Observes the engine and the disks of this machine, and reports to the server when it can't run tasks and when it
// can again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/session/session.h"

namespace agent {

// A disk with less free space counts as full; with a quarter more, as usable again.
struct DiskRule {
  std::vector<std::string> folders = {};
  std::int64_t min_free_mib = 0;
};
// Why a disk is full; nullopt while none is. `full` is whether one was until now.
std::optional<std::string> disk_trouble(const DiskRule& rule, bool full);

class HealthWatch {
 public:
  HealthWatch(Machine& machine, Session& session, DiskRule disks)
      : machine_(machine), session_(session), disks_(std::move(disks)) {}

  // Each runs until it is cancelled.
  boost::asio::awaitable<void> watch_engine();
  boost::asio::awaitable<void> watch_disks();
  boost::asio::awaitable<void> report();

 private:
  Machine& machine_;
  Session& session_;
  const DiskRule disks_;
};

}  // namespace agent
