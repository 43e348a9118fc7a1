// SPDX-License-Identifier: Apache-2.0
// GET /stoker/backup: while the client reads, no file that a row named at its start is deleted. So a client on this
// machine can copy the database first, and the files that the copy names after it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <vector>

#include "api/engine.h"
#include "http/server.h"
#include "objects/files.h"

namespace doors::objects {

class BackupHold {
 public:
  // All of these outlive it.
  BackupHold(api::Engine& engine, std::vector<const ::objects::Files*> files)
      : engine_(engine), files_(std::move(files)) {}

  // Only for the root key.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

 private:
  api::Engine& engine_;
  std::vector<const ::objects::Files*> files_;
};

}  // namespace doors::objects
