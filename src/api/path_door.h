// SPDX-License-Identifier: Apache-2.0
// The door of one path that is no operation: its handler has the connection for as long as it likes. Clients
// sign for a service, a request without a body.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/job.h"
#include "api/registry.h"
#include "api/request_log.h"

namespace api {

class PathDoor : public Door {
 public:
  using Handler = std::function<boost::asio::awaitable<http::Response>(http::Exchange&, services::Caller)>;

  // What the doors of a server share. All of it outlives them.
  struct Shared {
    Authenticator& authenticator;
    const Registry& registry;
    RequestLog& log;
  };

  enum class For { Accounts, AccountsAndMachines };

  // `signing_name` is that of the service for which clients sign.
  PathDoor(Shared shared, std::string path, std::string signing_name, Handler handler, For whom = For::Accounts)
      : shared_(shared),
        path_(std::move(path)),
        signing_name_(std::move(signing_name)),
        handler_(std::move(handler)),
        whom_(whom) {}

  bool reserves(std::string_view path) const override { return path == path_; }
  bool accepts(const Arrival& arrival) const override { return arrival.head.path() == path_; }
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  boost::asio::awaitable<http::Response> run(http::Exchange& exchange, Job& job, signing::ClaimResult claim);

  Shared shared_;
  std::string path_, signing_name_;
  Handler handler_;
  const For whom_;
};

}  // namespace api
