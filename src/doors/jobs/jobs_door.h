// SPDX-License-Identifier: Apache-2.0
// The job API (docs/openapi.yaml). A submitted job, its input, its event and its message are one transaction.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/engine.h"
#include "api/request_log.h"
#include "doors/jobs/credentials.h"
#include "doors/jobs/request_values.h"
#include "doors/jobs/route.h"
#include "services/s3/objects/put_object.h"
#include "spool/spool.h"

namespace doors::jobs {

class JobsDoor : public api::Door {
 public:
  // All of these outlive it.
  struct Setup {
    api::Engine& engine;
    api::Authenticator& authenticator;
    api::RequestLog& log;
    spool::Disk disk;
    bool private_webhooks = false;  // webhooks may be on this machine and in private networks
    base::Duration keep_alive = std::chrono::seconds(15);
  };
  explicit JobsDoor(Setup setup) : setup_(std::move(setup)) {
    setup_.log.count_actions_of("pipelines", kActionNames);
  }

  bool reserves(std::string_view path) const override { return is_job_path(path); }
  // After S3's door, which takes what is signed for S3: a bucket may be named "jobs".
  bool accepts(const api::Arrival& arrival) const override;
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  struct Request;  // one request
  struct Input;    // of a new job, stored
  struct Stream;   // of events
  using Document = std::string;  // JSON

  // Sets job.caller and `action` as soon as they are known.
  boost::asio::awaitable<http::Response> run(http::Exchange& exchange, api::Job& job, Action& action,
                                             signing::ClaimResult claim);
  boost::asio::awaitable<http::Response> answer(Request& request);
  boost::asio::awaitable<http::Response> submit(Request& request);
  boost::asio::awaitable<spool::HeldUpload> store_input(Request& request, Input& input);
  Document create(services::Call& call, const Request& request, Input& input, const services::s3::Upload& upload);
  boost::asio::awaitable<http::Response> list(Request& request);
  boost::asio::awaitable<http::Response> show_pipeline(Request& request);
  boost::asio::awaitable<http::Response> show_job(Request& request);
  boost::asio::awaitable<http::Response> show_result(Request& request);
  boost::asio::awaitable<http::Response> change(Request& request);
  boost::asio::awaitable<http::Response> list_deliveries(Request& request);
  boost::asio::awaitable<http::Response> events(Request& request);
  boost::asio::awaitable<Stream> open_stream(Request& request);
  boost::asio::awaitable<std::string> next_events(Request& request, Stream& stream);

  // The job, when it is over or the wait has passed.
  boost::asio::awaitable<Document> wait_for(Request& request, std::optional<base::Duration> wait);
  boost::asio::awaitable<void> read(Request& request, api::Engine::Work work);
  // The request's key or signature is valid: the connection is its account's.
  boost::asio::awaitable<void> set_account(Request& request);
  services::pipelines::FoundJob find(services::Call& call, const Request& request) const;

  Setup setup_;
  std::atomic<int> streams_ = 0;  // of events, that are open
};

}  // namespace doors::jobs
