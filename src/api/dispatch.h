// SPDX-License-Identifier: Apache-2.0
// From a connection to the door that serves its request.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <vector>

#include "api/door.h"
#include "http/server.h"

namespace api {

class Dispatcher {
 public:
  // In the order in which they are asked; they outlive it. The last one accepts every request.
  explicit Dispatcher(std::vector<Door*> doors) : doors_(std::move(doors)) {}

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange);

 private:
  Door& find(const http::RequestHead& head, const signing::ClaimResult& claim) const;

  std::vector<Door*> doors_;
};

}  // namespace api
