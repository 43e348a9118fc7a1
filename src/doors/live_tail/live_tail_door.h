// SPDX-License-Identifier: Apache-2.0
// StartLiveTail of CloudWatch Logs: its answer is an event stream that lasts until the client leaves. Clients put
// "stream-" or "streaming-" in front of the host, so that only the target tells what a request is.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/registry.h"
#include "api/request_log.h"
#include "services/logs/live_tails.h"

namespace doors::live_tail {

class LiveTailDoor : public api::Door {
 public:
  struct Timing {
    base::Duration update_every = std::chrono::seconds(1);
    base::Duration ends_after = std::chrono::hours(3);  // Amazon's
  };

  // All of these outlive it.
  LiveTailDoor(api::Engine& engine, api::Authenticator& authenticator, const api::Registry& registry,
               api::RequestLog& log, Timing timing);
  LiveTailDoor(api::Engine& engine, api::Authenticator& authenticator, const api::Registry& registry,
               api::RequestLog& log)
      : LiveTailDoor(engine, authenticator, registry, log, Timing()) {}

  bool accepts(const api::Arrival& arrival) const override;
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  boost::asio::awaitable<http::Response> run(http::Exchange& exchange, api::Job& job, signing::ClaimResult claim);
  boost::asio::awaitable<void> stream(http::Exchange& exchange, std::int64_t session);

  api::Engine& engine_;
  api::Authenticator& authenticator_;
  const api::Registry& registry_;
  api::RequestLog& log_;
  const Timing timing_;
  const services::Operation operation_;
};

}  // namespace doors::live_tail
