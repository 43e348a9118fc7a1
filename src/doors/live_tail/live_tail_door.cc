// SPDX-License-Identifier: Apache-2.0
#include "doors/live_tail/live_tail_door.h"

#include "api/decode.h"
#include "api/errors.h"
#include "api/machine_access.h"
#include "base/random.h"
#include "wire/event_stream.h"
#include "wire/json.h"

namespace doors::live_tail {
namespace asio = boost::asio;
using services::logs::LiveTails;
using shapes::logs::StartLiveTailRequest;

namespace {

constexpr char kTarget[] = "Logs_20140328.StartLiveTail";
constexpr std::size_t kBodyLimit = 256u << 10;  // 10 groups, 100 streams and a pattern

services::Operation make_operation() {
  services::Operation row;
  row.wire.name = "StartLiveTail";
  row.wire.input = &wire::type_of<StartLiveTailRequest>();
  row.make_input = &services::detail::make<StartLiveTailRequest>;
  return row;
}

template <class T>
std::string event(std::string_view type, const T& value) {
  std::string payload;
  wire::write_json(wire::type_of<T>(), &value, payload);
  return wire::encode_event(
      {{":message-type", "event"}, {":event-type", type}, {":content-type", "application/json"}}, payload);
}

std::string exception_event(std::string_view type, std::string_view message) {
  std::string payload = R"({"message":)";
  wire::write_json_string(message, payload);
  payload += '}';
  return wire::encode_event(
      {{":message-type", "exception"}, {":exception-type", type}, {":content-type", "application/json"}}, payload);
}

http::Response first_frames(const StartLiveTailRequest& request, const services::logs::TailSpec& spec,
                            const std::string& request_id) {
  shapes::logs::LiveTailSessionStart start;
  start.requestId = request_id;
  start.sessionId = base::random_uuid();
  start.logGroupIdentifiers.emplace();
  for (const auto& [id, arn] : spec.groups) start.logGroupIdentifiers->push_back(arn);
  start.logStreamNames = request.logStreamNames;
  start.logStreamNamePrefixes = request.logStreamNamePrefixes;
  start.logEventFilterPattern = request.logEventFilterPattern;
  const std::string initial =
      wire::encode_event({{":message-type", "event"}, {":event-type", "initial-response"}}, "{}");
  return {200,
          {{"Content-Type", "application/vnd.amazon.eventstream"}, {"x-amzn-RequestId", request_id}},
          initial + event("sessionStart", start)};
}

// Closes its session at the end of a request, however that ends.
class OpenSession {
 public:
  OpenSession(LiveTails& tails, services::logs::TailSpec spec) : tails_(tails), id_(tails.open(std::move(spec))) {
    if (!id_) {
      throw wire::ApiError("LimitExceededException",
                           "An account can have no more than " + std::to_string(LiveTails::kMaxSessions) +
                               " Live Tail sessions at a time.");
    }
  }
  ~OpenSession() { tails_.close(*id_); }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;

  std::int64_t id() const { return *id_; }

 private:
  LiveTails& tails_;
  std::optional<std::int64_t> id_;
};

}  // namespace

LiveTailDoor::LiveTailDoor(api::Engine& engine, api::Authenticator& authenticator, const api::Registry& registry,
                           api::RequestLog& log, Timing timing)
    : engine_(engine), authenticator_(authenticator), registry_(registry), log_(log), timing_(timing),
      operation_(make_operation()) {}

bool LiveTailDoor::accepts(const api::Arrival& arrival) const {
  return arrival.head.headers.get("X-Amz-Target") == kTarget;
}

asio::awaitable<http::Response> LiveTailDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  api::Job job;
  job.protocol = wire::Protocol::Json11;
  job.service = registry_.find_signed("logs");
  std::exception_ptr thrown;
  http::Response response;
  try {
    response = co_await run(exchange, job, std::move(claim));
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) response = api::error_response(job, api::to_api_error(job, thrown), log_);
  co_return response;
}

asio::awaitable<http::Response> LiveTailDoor::run(http::Exchange& exchange, api::Job& job,
                                                  signing::ClaimResult claim) {
  const api::Signer signer = co_await authenticator_.find_or_throw(claim, "logs");
  job.caller = api::caller_of(exchange, job.request_id, claim.claim, *signer.key);
  const std::string body = co_await exchange.read_body(kBodyLimit);
  authenticator_.verify(claim.claim, signer, exchange.head(), body);
  api::refuse_machine(job.caller, "logs:StartLiveTail");
  exchange.set_account(job.caller.account);
  const http::RequestHead& head = exchange.head();
  const wire::HttpRequest message{head.method, head.path(), head.query(), head.headers, body};
  const services::Erased input = api::decode(*job.service, operation_, job.protocol, message);
  const auto& request = *static_cast<const StartLiveTailRequest*>(input.get());
  services::logs::TailSpec spec;
  api::Engine::Work plan = [&](services::Call& call) { spec = services::logs::plan_live_tail(call, request); };
  co_await engine_.run(services::Access::Read, job.caller, std::move(plan));
  http::Response first = first_frames(request, spec, job.request_id);
  const OpenSession session(engine_.locals().get<LiveTails>(), std::move(spec));
  co_await exchange.start(std::move(first));
  co_await stream(exchange, session.id());
  co_return http::Response{};
}

asio::awaitable<void> LiveTailDoor::stream(http::Exchange& exchange, std::int64_t session) {
  LiveTails& tails = engine_.locals().get<LiveTails>();
  const base::Time end = engine_.clock().now() + timing_.ends_after;
  const std::string topic = "logs/tail/" + std::to_string(session);
  for (;;) {
    // Nothing wakes this topic but the end of the server: updates come once a second, with or without events.
    const std::uint64_t seen = engine_.topics().seen();
    if (engine_.draining()) {
      std::string last = exception_event("SessionStreamingException", "The server is shutting down.");
      co_await exchange.write_piece(std::move(last));
      co_return;
    }
    co_await engine_.topics().wait(topic, seen, timing_.update_every);
    if (exchange.peer_gone()) co_return;
    std::string update = event("sessionUpdate", tails.take(session));
    co_await exchange.write_piece(std::move(update));
    if (engine_.clock().now() >= end) {
      std::string last = exception_event("SessionTimeoutException", "The session has lasted 3 hours.");
      co_await exchange.write_piece(std::move(last));
      co_return;
    }
  }
}

}  // namespace doors::live_tail
