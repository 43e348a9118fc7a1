// SPDX-License-Identifier: Apache-2.0
// A request's way down and up again, in one function: dispatch.cc.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/engine.h"
#include "api/metrics.h"
#include "base/time.h"
#include "http/server.h"
#include "http/sigv4.h"
#include "services/operation.h"
#include "store/store.h"

namespace api {

// A path that is no operation: it has a connection for itself, for as long as it likes. Whoever
// comes there has signed for that service, a request without a body.
struct Route {
  using Handler = std::function<boost::asio::awaitable<http::Response>(http::Exchange&, services::Caller)>;

  std::string path;
  std::string signing_name;
  Handler handler;
};

class Dispatcher {
 public:
  Dispatcher(Engine& engine, std::vector<services::Service> services, std::vector<Route> routes, std::string version);

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange);

  // From now on nobody waits: long polls are answered with what there is.
  void drain() { engine_.drain(); }

  const std::vector<services::Service>& services() const { return services_; }

 private:
  struct Job;

  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, Job& job);
  boost::asio::awaitable<http::Response> serve_route(http::Exchange& exchange, Job& job, const Route& route);
  const Route* find_route(std::string_view path) const;
  // Who asks, once the head is read: all but the signature is checked.
  boost::asio::awaitable<std::shared_ptr<const state::Key>> identify(http::Exchange& exchange, Job& job,
                                                                     const http::Claim& claim);
  boost::asio::awaitable<std::shared_ptr<const state::Key>> find_key(std::string id);
  void check_signature(const http::Claim& claim, const state::Key& key, const http::RequestHead& head,
                       const services::Service& service, std::string_view body);
  boost::asio::awaitable<services::Erased> run(http::Exchange& exchange, Job& job, services::Erased input);
  http::Response plain_page(const http::RequestHead& head) const;
  http::Response fail(Job& job, const wire::ApiError& error);

  Engine& engine_;
  std::vector<std::vector<wire::ErrorSpec>> error_tables_;  // what services_[i].wire.errors points to
  std::vector<services::Service> services_;
  std::vector<Route> routes_;
  std::string version_;
  base::Time started_at_;
  http::SigningKeyCache signing_keys_;
  Metrics metrics_;
};

}  // namespace api
