// SPDX-License-Identifier: Apache-2.0
// GET /stoker/scrub: reads all objects, and reports each that differs from what was uploaded as a line of JSON. Reads
// one at a time, so that it delays no request.
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
  // `database`: the path of its file, which must exist; "": it is elsewhere.
  Scrub(api::Engine& engine, ::objects::Files& files, ::objects::DiskThreads& disk, std::string database)
      : engine_(engine), files_(files), disk_(disk), database_(std::move(database)) {}

  // Only for the root key: it shows the objects of all accounts.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

 private:
  struct Walk;  // one scrub

  boost::asio::awaitable<void> check_runs(Walk& walk);
  boost::asio::awaitable<void> check_run(Walk& walk, const services::s3::StoredRun& run);
  boost::asio::awaitable<void> find_unnamed(Walk& walk);
  boost::asio::awaitable<void> report(Walk& walk, shapes::stoker::ScrubFinding finding);
  boost::asio::awaitable<void> show_progress(Walk& walk);

  api::Engine& engine_;
  ::objects::Files& files_;
  ::objects::DiskThreads& disk_;
  std::string database_;
};

}  // namespace doors::objects
