// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/join_door.h"

#include "api/decode.h"
#include "api/errors.h"
#include "base/log.h"
#include "services/stoker/machine_keys.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace doors::agents {
namespace asio = boost::asio;
using shapes::stoker::JoinRequest;
using shapes::stoker::JoinResponse;

namespace {

constexpr std::string_view kPath = "/stoker/join";
constexpr std::size_t kBodyLimit = 1024;

}  // namespace

bool JoinDoor::reserves(std::string_view path) const { return path == kPath; }

bool JoinDoor::accepts(const api::Arrival& arrival) const { return arrival.head.path() == kPath; }

asio::awaitable<http::Response> JoinDoor::serve(http::Exchange& exchange, signing::ClaimResult) {
  api::Job job;
  job.protocol = wire::Protocol::Json11;
  job.service = registry_.find_signed("stoker");
  std::exception_ptr thrown;
  http::Response response;
  try {
    response = co_await run(exchange);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) response = api::error_response(job, api::to_api_error(job, thrown), log_);
  co_return response;
}

asio::awaitable<http::Response> JoinDoor::run(http::Exchange& exchange) {
  if (exchange.head().method != "POST") {
    throw wire::ApiError("ValidationException", "POST a join token to this path.", 405);
  }
  const std::string body = co_await exchange.read_body(kBodyLimit);
  JoinRequest request;
  wire::read_json(wire::type_of<JoinRequest>(), body, &request);
  services::stoker::check_join_request(request);
  services::Caller nobody;
  nobody.address = api::address_of(exchange.peer());  // anonymous, and not the server itself
  // Guesses do not reach the writer.
  api::Engine::Work look = [&](services::Call& call) { services::stoker::check_join(call, request); };
  co_await engine_.run(services::Access::Read, nobody, std::move(look));
  JoinResponse joined;
  api::Engine::Work join = [&](services::Call& call) { joined = services::stoker::join(call, request); };
  co_await engine_.run(services::Access::Write, std::move(nobody), std::move(join));
  base::log_info("machine joined", {{"key", joined.accessKeyId}, {"from", exchange.peer()}});
  std::string text;
  wire::write_json(wire::type_of<JoinResponse>(), &joined, text);
  http::Response response{200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, std::move(text)};
  co_return response;
}

}  // namespace doors::agents
