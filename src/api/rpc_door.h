// SPDX-License-Identifier: Apache-2.0
// The door of all services whose operations are structs in and structs out: JSON, query and CBOR, mostly
// POSTed to "/". It accepts every request, so it is the last of the doors.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/registry.h"
#include "api/request_log.h"

namespace api {

class RpcDoor : public Door {
 public:
  // All of these outlive it.
  RpcDoor(Engine& engine, Authenticator& authenticator, const Registry& registry, RequestLog& log)
      : engine_(engine), authenticator_(authenticator), registry_(registry), log_(log) {}

  bool accepts(const Arrival&) const override { return true; }
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  // The result of the operation's own preparation; null where it has none.
  boost::asio::awaitable<std::shared_ptr<const void>> prepare(const Job& job, const void* input);
  boost::asio::awaitable<http::Response> run(http::Exchange& exchange, Job& job, const signing::ClaimResult& claim);

  Engine& engine_;
  Authenticator& authenticator_;
  const Registry& registry_;
  RequestLog& log_;
};

}  // namespace api
