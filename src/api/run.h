// SPDX-License-Identifier: Apache-2.0
// Runs a handler in its transaction, again for as long as it waits for something.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>

#include "api/engine.h"
#include "http/server.h"

namespace api {

// Where a transaction runs. Here: on this thread, where the store can do that; for reads that take less time
// than going to another thread and back.
enum class Place { Store, Here };

struct Run {
  const services::Caller& caller;
  services::Access access;
  Place place = Place::Store;
};

// `handler` may run more than once; what it refers to outlives the await.
using Handler = std::function<void(services::Call&)>;

boost::asio::awaitable<void> run_handler(Engine& engine, http::Exchange& exchange, Run run, Handler handler);

// The same once, on a snapshot: the handler neither waits nor wakes.
boost::asio::awaitable<void> read_once(Engine& engine, Run run, Handler handler);

}  // namespace api
