// SPDX-License-Identifier: Apache-2.0
#include "api/dispatch.h"

#include <algorithm>

#include "base/check.h"

namespace api {
namespace asio = boost::asio;

asio::awaitable<http::Response> Dispatcher::handle(http::Exchange& exchange) {
  signing::ClaimResult claim = signing::parse_claim(exchange.head());
  Door& door = find(exchange.head(), claim);
  return door.serve(exchange, std::move(claim));
}

Door& Dispatcher::find(const http::RequestHead& head, const signing::ClaimResult& claim) const {
  const std::string_view path = head.path();
  Arrival arrival{head, claim};
  arrival.reserved = std::any_of(doors_.begin(), doors_.end(), [&](const Door* door) { return door->reserves(path); });
  auto found = std::find_if(doors_.begin(), doors_.end(), [&](const Door* door) { return door->accepts(arrival); });
  CHECK(found != doors_.end()) << "no door accepts a request";
  return **found;
}

}  // namespace api
