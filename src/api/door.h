// SPDX-License-Identifier: Apache-2.0
// A door: which requests it accepts, how it authenticates them, how it serves them. The dispatcher asks its
// doors in order, and the first that accepts a request serves it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string_view>

#include "http/server.h"
#include "signing/sigv4.h"

namespace api {

// A request of which only the head was read.
struct Arrival {
  const http::RequestHead& head;
  const signing::ClaimResult& claim;  // the signature as the client states it, not verified
  bool reserved = false;           // some door reserves its path
};

class Door {
 public:
  virtual ~Door() = default;

  // A path that only this door serves. An unsigned request for it is not taken for one about a bucket.
  virtual bool reserves(std::string_view path) const {
    (void)path;
    return false;
  }

  virtual bool accepts(const Arrival& arrival) const = 0;

  // Errors become responses here, in the words and the protocol of this door's clients. What it throws ends
  // the connection.
  virtual boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) = 0;
};

}  // namespace api
