// SPDX-License-Identifier: Apache-2.0
// What is known of a request so far; errors are answered in its protocol.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/rest_route.h"
#include "base/random.h"
#include "services/operation.h"

namespace api {

struct Job {
  std::string request_id = base::random_uuid();
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  wire::Protocol protocol = wire::Protocol::Query;
  const services::Service* service = nullptr;
  const services::Operation* operation = nullptr;
  services::Caller caller;
  RestPlace place;                  // restXml
  std::uint64_t spooled_bytes = 0;  // of its body

  bool rest() const { return protocol == wire::Protocol::RestXml; }
};

}  // namespace api
