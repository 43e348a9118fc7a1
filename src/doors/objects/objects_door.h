// SPDX-License-Identifier: Apache-2.0
// The door of S3. Its requests are authenticated by their heads alone, so that bodies can be rejected before
// they are sent, and go to disk as they come. It also accepts unsigned requests, as anonymous ones.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/metrics.h"
#include "api/request_log.h"
#include "doors/objects/route.h"
#include "services/s3/module.h"
#include "services/s3/object_operation.h"
#include "spool/spool.h"

namespace doors::objects {

// A request with the bucket or object that it names.
struct Job : api::Job {
  Place place;
  const services::s3::ObjectOperation* row = nullptr;  // of `operation`
  std::uint64_t spooled_bytes = 0;  // of its body
  // Of a page of another origin. Its headers are decided in a transaction of the request, where it comes to one.
  std::optional<services::s3::CorsRequest> cors = {};
  bool cors_decided = false;
  std::optional<base::Headers> cors_headers = {};
};

class ObjectsDoor : public api::Door {
 public:
  // All of these outlive it.
  struct Setup {
    api::Engine& engine;
    api::Authenticator& authenticator;
    const services::Service& service;
    api::RequestLog& log;
    api::Metrics& metrics;
    spool::Disk disk;
    std::vector<std::string> domains = {};  // whose subdomains name buckets
  };
  // `table` has the rows of the service's operations.
  explicit ObjectsDoor(Setup setup, services::s3::ObjectTable table = services::s3::object_table());

  bool accepts(const api::Arrival& arrival) const override;
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  struct Request;  // one request

  boost::asio::awaitable<http::Response> run(http::Exchange& exchange, Job& job, signing::ClaimResult& claim);
  boost::asio::awaitable<void> authenticate(Request& request, signing::ClaimResult& claim);
  void verify(const signing::Claim& claim, const api::Signer& signer, const http::RequestHead& head,
              std::string_view path) const;
  boost::asio::awaitable<http::Response> preflight(http::Exchange& exchange, Job& job);
  boost::asio::awaitable<services::Erased> read(Request& request);
  boost::asio::awaitable<void> require_bucket(const Request& request);
  boost::asio::awaitable<void> read_form(Request& request);
  boost::asio::awaitable<void> spool(Request& request, const void* input);
  boost::asio::awaitable<http::Response> answer(Request& request, const void* input);
  void decide_cors(services::Call& call, Job& job) const;
  boost::asio::awaitable<void> add_cors(Job& job, http::Response& response);
  http::Response fail(const Job& job, const http::RequestHead& head, wire::ApiError error);
  void count(const Job& job, const http::RequestHead& head, const http::Response& response);

  Setup setup_;
  services::s3::ObjectTable table_;
  Routes routes_{table_};
};

}  // namespace doors::objects
