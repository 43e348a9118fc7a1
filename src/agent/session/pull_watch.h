// SPDX-License-Identifier: Apache-2.0
// Sends the server the progress of image pulls while it changes.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "agent/session/session.h"

namespace agent {

class PullWatch {
 public:
  PullWatch(Machine& machine, Session& session) : machine_(machine), session_(session) {}

  // Runs until it is cancelled.
  boost::asio::awaitable<void> run();

 private:
  Machine& machine_;
  Session& session_;
};

}  // namespace agent
