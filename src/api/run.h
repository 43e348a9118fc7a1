// SPDX-License-Identifier: Apache-2.0
// Runs an operation's handler in its transaction, again for as long as it waits for something.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "api/engine.h"
#include "api/job.h"
#include "http/server.h"

namespace api {

// What a handler leaves.
struct Outcome {
  services::Erased output = services::detail::nothing();
  std::optional<std::vector<services::Extent>> download = {};
  std::optional<int> status = {};
};

// `input` and `upload` outlive it; `upload` may be null.
boost::asio::awaitable<Outcome> run_operation(Engine& engine, http::Exchange& exchange, const Job& job,
                                              const void* input, const services::Upload* upload);

// What an operation has to say before its body is read.
boost::asio::awaitable<services::Spool> run_before(Engine& engine, const Job& job, const void* input);

}  // namespace api
