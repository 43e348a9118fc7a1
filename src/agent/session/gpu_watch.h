// SPDX-License-Identifier: Apache-2.0
// Observes this machine's GPUs and sends the server samples once a second, and changes at once.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "agent/gpu/gpu.h"
#include "agent/session/session.h"

namespace agent {

class GpuWatch {
 public:
  GpuWatch(Machine& machine, gpu::GpuSource& source, Session& session)
      : machine_(machine), source_(source), session_(session) {}

  // Call once before adoption, so that the ledger has the GPUs. True: the set of GPUs changed.
  bool probe();
  boost::asio::awaitable<void> run();

 private:
  // True: a healthy GPU returned no sample.
  bool sample();

  Machine& machine_;
  gpu::GpuSource& source_;
  Session& session_;
};

}  // namespace agent
