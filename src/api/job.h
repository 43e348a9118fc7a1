// SPDX-License-Identifier: Apache-2.0
// What is known of a request so far.
#pragma once

#include <chrono>
#include <string>

#include "base/random.h"
#include "services/operation.h"

namespace api {

struct Job {
  std::string request_id = base::random_uuid();
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  wire::Protocol protocol = wire::Protocol::Query;  // of the answer, also where that is an error
  bool query_mode = false;  // a client that expects the query protocol's errors, in any protocol
  const services::Service* service = nullptr;
  const services::Operation* operation = nullptr;
  services::Caller caller;
};

}  // namespace api
