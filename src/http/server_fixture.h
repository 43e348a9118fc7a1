// SPDX-License-Identifier: Apache-2.0
// A server on a free port, for tests whose handler is a member function.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>

#include "base/log.h"
#include "http/io_threads.h"
#include "http/server.h"

namespace http {

class ServerFixture : public testing::Test {
 protected:
  ServerFixture() { base::set_log_level(base::LogLevel::Off); }
  ~ServerFixture() override { base::set_log_level(base::LogLevel::Info); }
  // Before the members of derived classes go, which their handlers use.
  void TearDown() override { server_.reset(); }

  virtual boost::asio::awaitable<Response> handle(Exchange& exchange) = 0;

  Server& start(Limits limits = {}) {
    limits.tick = std::chrono::milliseconds(5);
    server_ = std::make_unique<Server>(
        io_, [this](Exchange& exchange) { return handle(exchange); }, limits);
    server_->listen_tcp("127.0.0.1", 0);
    return *server_;
  }

  IoThreads io_{2};
  std::unique_ptr<Server> server_;
};

}  // namespace http
