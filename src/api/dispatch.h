// SPDX-License-Identifier: Apache-2.0
// A request's way down and up again, in one function: dispatch.cc.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/authenticate.h"
#include "api/engine.h"
#include "api/job.h"
#include "api/metrics.h"
#include "api/rest.h"
#include "base/time.h"
#include "http/server.h"
#include "services/operation.h"

namespace api {

// A path that is no operation: it has a connection for itself, for as long as it likes. Whoever
// comes there has signed for that service, a request without a body.
struct Route {
  using Handler = std::function<boost::asio::awaitable<http::Response>(http::Exchange&, services::Caller)>;

  std::string path;
  std::string signing_name;
  Handler handler;
};

struct Setup {
  std::vector<Route> routes = {};
  std::string version = {};
  std::vector<std::string> domains = {};  // in whose subdomains buckets are
  Disk disk = {};                         // for services whose bodies are spooled
};

class Dispatcher {
 public:
  Dispatcher(Engine& engine, std::vector<services::Service> services, Setup setup);

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange);

  // From now on nobody waits: long polls are answered with what there is.
  void drain() { engine_.drain(); }

  const std::vector<services::Service>& services() const { return services_; }

 private:
  Job identify(const http::RequestHead& head, const signing::ClaimResult& claim) const;
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, Job& job, signing::ClaimResult claim);
  boost::asio::awaitable<http::Response> serve_route(http::Exchange& exchange, Job& job, signing::ClaimResult claim,
                                                     const Route& route);
  const Route* find_route(std::string_view path) const;
  void count(const Job& job, const http::RequestHead& head, const http::Response& response);
  http::Response plain_page(const http::RequestHead& head) const;
  http::Response fail(const Job& job, const http::RequestHead& head, wire::ApiError error);

  Engine& engine_;
  std::vector<std::vector<wire::ErrorSpec>> error_tables_;  // what services_[i].wire.errors points to
  std::vector<services::Service> services_;
  Setup setup_;
  base::Time started_at_;
  Authenticator authenticator_;
  std::optional<RestServer> rest_;
  Metrics metrics_;
};

}  // namespace api
