// SPDX-License-Identifier: Apache-2.0
// POST /stoker/join: a machine exchanges its join token for a key of its own. Unsigned: the token is all that it has.
#pragma once

#include "api/door.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/registry.h"
#include "api/request_log.h"

namespace doors::agents {

class JoinDoor : public api::Door {
 public:
  // All of these outlive it.
  JoinDoor(api::Engine& engine, const api::Registry& registry, api::RequestLog& log)
      : engine_(engine), registry_(registry), log_(log) {}

  bool reserves(std::string_view path) const override;
  bool accepts(const api::Arrival& arrival) const override;
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  boost::asio::awaitable<http::Response> run(http::Exchange& exchange);

  api::Engine& engine_;
  const api::Registry& registry_;
  api::RequestLog& log_;
};

}  // namespace doors::agents
