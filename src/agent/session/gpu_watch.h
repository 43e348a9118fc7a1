// SPDX-License-Identifier: Apache-2.0
// Looks at this machine's GPUs and tells the server: samples once a second, what changed at once.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "agent/gpu/gpu.h"
#include "agent/session/session.h"

namespace agent {

class GpuWatch {
 public:
  GpuWatch(Machine& machine, gpu::GpuSource& source, Session& session)
      : machine_(machine), source_(source), session_(session) {}

  // Before all else, so that the ledger knows them. True: there are others than before.
  bool probe();
  boost::asio::awaitable<void> run();

 private:
  // True: something looks wrong.
  bool sample();

  Machine& machine_;
  gpu::GpuSource& source_;
  Session& session_;
};

}  // namespace agent
