// SPDX-License-Identifier: Apache-2.0
// A request's way down and up again, in one function: dispatch.cc.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "api/key_ring.h"
#include "api/metrics.h"
#include "api/topics.h"
#include "base/time.h"
#include "http/server.h"
#include "http/sigv4.h"
#include "services/operation.h"
#include "store/store.h"

namespace api {

class Dispatcher {
 public:
  Dispatcher(store::Store& store, const services::Locals& locals, Topics& topics, base::Clock& clock,
             std::vector<services::Service> services, std::string version);

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange);

  // From now on nobody waits: long polls are answered with what there is.
  void drain();

  const std::vector<services::Service>& services() const { return services_; }

 private:
  struct Job;

  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, Job& job);
  boost::asio::awaitable<std::shared_ptr<const state::Key>> find_key(std::string id);
  void check_signature(const http::Claim& claim, const state::Key& key, const http::RequestHead& head,
                       const services::Service& service, std::string_view body);
  boost::asio::awaitable<services::Erased> run(http::Exchange& exchange, Job& job, services::Erased input);
  void forget_deleted_keys(const std::vector<services::Wake>& wakes);
  http::Response plain_page(const http::RequestHead& head) const;
  http::Response fail(Job& job, const wire::ApiError& error);

  store::Store& store_;
  const services::Locals& locals_;
  Topics& topics_;
  base::Clock& clock_;
  std::vector<std::vector<wire::ErrorSpec>> error_tables_;  // what services_[i].wire.errors points to
  std::vector<services::Service> services_;
  std::string version_;
  std::atomic<bool> draining_ = false;
  base::Time started_at_;
  KeyRing keys_;
  http::SigningKeyCache signing_keys_;
  Metrics metrics_;
};

}  // namespace api
