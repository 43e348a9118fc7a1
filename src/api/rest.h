// SPDX-License-Identifier: Apache-2.0
// The way of a REST request: who asks is known by its head alone, so that bodies can be refused before
// they are sent, and go to disk as they come.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "api/authenticate.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/rest_route.h"
#include "api/run.h"
#include "api/spool.h"
#include "http/server.h"

namespace api {

class RestServer {
 public:
  // All of these outlive it.
  RestServer(Engine& engine, Authenticator& authenticator, Disk disk, const services::Service& service)
      : engine_(engine), authenticator_(authenticator), disk_(disk), routes_(service) {}

  // job.service and the path in job.place are known.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, Job& job, signing::ClaimResult claim);

  // What a browser wants to see beside an answer, where its page is of another origin.
  boost::asio::awaitable<void> add_cors(http::Exchange& exchange, const Job& job, http::Response& response);

 private:
  struct Request;  // one on its way down

  boost::asio::awaitable<void> authenticate(Request& request, signing::ClaimResult claim);
  boost::asio::awaitable<http::Response> preflight(http::Exchange& exchange, Job& job);
  boost::asio::awaitable<services::Erased> read(Request& request);
  boost::asio::awaitable<void> read_form(Request& request);
  boost::asio::awaitable<void> spool(Request& request, const void* input);
  boost::asio::awaitable<http::Response> answer(Request& request, const void* input);

  Engine& engine_;
  Authenticator& authenticator_;
  Disk disk_;
  RestRoutes routes_;
};

}  // namespace api
