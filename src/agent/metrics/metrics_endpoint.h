// SPDX-License-Identifier: Apache-2.0
// GET /metrics and /health of this machine's GPUs, where dcgm-exporter has them: on port 9400. GPUs are read when
// somebody requests the page, and at most once a second.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "agent/gpu/gpu.h"
#include "agent/tasks/machine.h"
#include "http/io_threads.h"
#include "http/server.h"

namespace agent {

struct MetricsSettings {
  std::string address;  // "": no page
  unsigned short port = 0;
  std::string host_name;
  std::string url_file;  // receives the page's address: with port 0 only the agent knows it
};

// Its handlers run on the agent's thread, as all of the agent.
class MetricsEndpoint {
 public:
  MetricsEndpoint(const Machine& machine, gpu::GpuSource& source, MetricsSettings settings)
      : machine_(machine), source_(source), settings_(std::move(settings)) {}

  // A port in use is logged: another agent of this machine has it, or dcgm-exporter itself.
  void listen(http::IoThreads& io);
  // Blocks, so not for a thread of the IoThreads.
  void stop() { server_.reset(); }
  unsigned short port() const { return server_ ? server_->port() : 0; }

  http::Response answer(const http::RequestHead& head);

 private:
  std::string page();

  const Machine& machine_;
  gpu::GpuSource& source_;
  const MetricsSettings settings_;
  std::string text_;
  std::optional<base::Time> read_at_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace agent
