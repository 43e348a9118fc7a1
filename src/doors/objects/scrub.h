// SPDX-License-Identifier: Apache-2.0
// GET /stoker/scrub: all objects are read again, and whatever is not what was uploaded is told, a line
// of JSON each. One at a time: it takes long, and holds up nobody.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "api/engine.h"
#include "http/server.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "services/s3/stored_runs.h"
#include "shapes/stoker/scrub.h"

namespace doors::objects {

class Scrub {
 public:
  Scrub(api::Engine& engine, ::objects::Files& files, ::objects::DiskThreads& disk)
      : engine_(engine), files_(files), disk_(disk) {}

  // For the root key alone: it sees everybody's.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

 private:
  struct Walk;  // one on its way

  boost::asio::awaitable<void> check_runs(Walk& walk);
  boost::asio::awaitable<void> check_run(Walk& walk, const services::s3::StoredRun& run);
  boost::asio::awaitable<void> look_for_unnamed(Walk& walk);
  boost::asio::awaitable<void> tell(Walk& walk, shapes::stoker::ScrubFinding finding);
  boost::asio::awaitable<void> show_progress(Walk& walk);

  api::Engine& engine_;
  ::objects::Files& files_;
  ::objects::DiskThreads& disk_;
};

}  // namespace doors::objects
