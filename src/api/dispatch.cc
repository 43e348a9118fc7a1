// SPDX-License-Identifier: Apache-2.0
#include "api/dispatch.h"

#include <boost/system/system_error.hpp>

#include "api/errors.h"
#include "api/identify.h"
#include "api/transaction.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "http/gzip.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace api {
namespace asio = boost::asio;
using services::Access;
using wire::ApiError;

// What is known of a request so far; errors are answered in its protocol.
struct Dispatcher::Job {
  std::string request_id = base::random_uuid();
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  wire::Protocol protocol = wire::Protocol::Query;
  const services::Service* service = nullptr;
  const services::Operation* operation = nullptr;
  services::Caller caller;
};

namespace {

// Before a service is known.
const wire::Service& nobody() {
  static const wire::Service service{.name = "", .errors = common_errors()};
  return service;
}

std::string endpoint_of(const http::Exchange& exchange) {
  std::string_view host = exchange.head().headers.get("Host");
  return (exchange.secure() ? "https://" : "http://") + std::string(host.empty() ? "localhost" : host);
}

ApiError unknown_service(const std::string& name) {
  return ApiError("UnknownOperationException", "The service '" + name + "' is not part of Stoker.");
}

// A body that can't be read, in the client's protocol all the same.
ApiError body_error(const http::Failure& failure) {
  if (failure.status() == 413) return ApiError("RequestEntityTooLargeException", failure.what());
  if (failure.status() == 408) return ApiError("RequestTimeoutException", failure.what());
  return ApiError("SerializationException", failure.what(), failure.status());
}

// Everything but the signature itself, which needs the body.
void check_key(const http::Claim& claim, const state::Key* key, const services::Service& service, base::Time now) {
  auto refuse = [](http::AuthError error) {
    http::AuthResult failure = http::auth_failure(error);
    return auth_error(failure.error, failure.message);
  };
  if (!key) throw refuse(http::AuthError::UnknownKey);
  if (claim.service != service.signing_name) throw refuse(http::AuthError::BadScope);
  if (!base::equals_in_constant_time(claim.session_token, key->session_token.value_or(""))) {
    throw refuse(http::AuthError::BadToken);
  }
  if (key->expires_at && *key->expires_at <= now) throw refuse(http::AuthError::ExpiredToken);
}

ApiError unknown_operation(const services::Service& service, wire::Protocol protocol, const std::string& name) {
  if (protocol == wire::Protocol::Query || protocol == wire::Protocol::Ec2) {
    return ApiError("InvalidAction", "The action " + name + " is not valid for this endpoint.");
  }
  return ApiError("UnknownOperationException",
                  "The operation " + name + " of " + std::string(service.wire.name) + " is not part of Stoker.");
}

// Amazon's answer to a form without an Action; it has no other member.
http::Response no_action() {
  return {404, {{"Content-Type", "text/xml"}}, "<UnknownOperationException/>\n"};
}

// Clients of queues may POST to the queue's own path and leave its URL out.
std::string with_path_member(const services::Service& service, const http::RequestHead& head, std::string body) {
  if (service.path_member.empty() || head.path() == "/" || head.path().empty()) return body;
  if (form_field(body, service.path_member) || form_field(head.query(), service.path_member)) return body;
  if (!body.empty()) body += '&';
  auto decoded = base::percent_decode(head.path());
  return body + std::string(service.path_member) + "=" + base::percent_encode(decoded.value_or(""));
}

std::string uncompressed(const http::RequestHead& head, std::string body, std::size_t limit) {
  std::string_view encoding = head.headers.get("Content-Encoding");
  if (encoding.empty() || base::equals_ignoring_case(encoding, "identity")) return body;
  if (!base::equals_ignoring_case(encoding, "gzip")) {
    throw ApiError("SerializationException", "Content-Encoding '" + std::string(encoding) + "' is not supported.", 415);
  }
  auto plain = http::gunzip(body, limit);
  if (!plain) throw ApiError("SerializationException", plain.error());
  return std::move(*plain);
}

void check_region(const std::string& region) {
  const bool plain = !region.empty() && region.size() <= 64 &&
                     region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == region.npos;
  if (!plain) throw ApiError("InvalidSignatureException", "Credential should be scoped to a valid region.");
}

services::Erased decode(const services::Service& service, const services::Operation& operation,
                        wire::Protocol protocol, const http::RequestHead& head, std::string_view body) {
  services::Erased input = operation.make_input();
  wire::HttpRequest request{head.method, head.path(), head.query(), head.headers, body};
  auto violations = wire::decode_request(protocol, service.wire, operation.wire, request, input.get());
  auto more = wire::validate(*operation.wire.input, input.get());
  violations.insert(violations.end(), more.begin(), more.end());
  if (!violations.empty()) {
    if (auto error = service.violation_error(violations)) throw *error;
  }
  return input;
}

// It asked to be run again at once, whatever its deadline.
bool due(const services::Wait& wait, base::Time now) { return wait.again && *wait.again <= now; }

http::Response to_http(wire::HttpResponse response) {
  return {response.status, std::move(response.headers), std::move(response.body)};
}

}  // namespace

Dispatcher::Dispatcher(Engine& engine, std::vector<services::Service> services, std::vector<Route> routes,
                       std::string version)
    : engine_(engine),
      services_(std::move(services)),
      routes_(std::move(routes)),
      version_(std::move(version)),
      started_at_(engine.clock().now()),
      metrics_(services_) {
  for (services::Service& service : services_) {
    auto& table = error_tables_.emplace_back(service.wire.errors.begin(), service.wire.errors.end());
    for (const wire::ErrorSpec& spec : common_errors()) {
      if (!service.wire.find_error(spec.name)) table.push_back(spec);
    }
  }
  for (std::size_t i = 0; i < services_.size(); ++i) services_[i].wire.errors = error_tables_[i];
}

asio::awaitable<std::shared_ptr<const state::Key>> Dispatcher::find_key(std::string id) {
  auto known = engine_.keys().find(id);
  if (known) co_return known;
  const std::uint64_t deletions = engine_.keys().deletions();
  std::optional<state::Key> found;
  store::Store::Work work = [&](store::Tx& tx) { found = state::find_key(tx, id); };
  co_await transact(engine_.store(), Access::Read, std::move(work));
  if (!found) co_return nullptr;
  co_return engine_.keys().keep(std::move(*found), deletions);
}

asio::awaitable<http::Response> Dispatcher::handle(http::Exchange& exchange) {
  std::string_view path = exchange.head().path();
  if (path == "/health" || path == "/metrics") co_return plain_page(exchange.head());
  Job job;
  job.protocol = guess_protocol(exchange.head());
  // co_await is not allowed inside a catch, so what was thrown leaves it first.
  std::optional<ApiError> failure;
  try {
    const Route* route = find_route(path);
    http::Response response;
    if (route) {
      response = co_await serve_route(exchange, job, *route);
    } else {
      response = co_await serve(exchange, job);
    }
    co_return response;
  } catch (const ApiError& error) {
    failure = error;
  } catch (const http::Failure& error) {
    failure = body_error(error);
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", job.request_id}, {"error", error.what()}});
    failure = store_error(error);
  } catch (const boost::system::system_error&) {
    throw;  // the connection's own: there is nobody left to be answered
  } catch (const std::exception& error) {
    base::log_error("handler failed", {{"request", job.request_id}, {"error", error.what()}});
    failure = ApiError("InternalFailure", "The server made a mistake, and its log says which.");
  }
  co_return fail(job, *failure);
}

// The one way of a request: down once, up once.
asio::awaitable<http::Response> Dispatcher::serve(http::Exchange& exchange, Job& job) {
  const http::RequestHead& head = exchange.head();
  http::ClaimResult claim = http::parse_claim(head);
  job.service = find_service(services_, head, claim.claim.service);
  // Who can't have signed it is refused before their body takes up room.
  if (!claim) throw auth_error(claim.error, claim.message);
  if (!job.service) throw unknown_service(claim.claim.service);
  auto key = co_await identify(exchange, job, claim.claim);
  const std::size_t limit = job.service->body_limit;
  std::string body = co_await exchange.read_body(limit);
  check_signature(claim.claim, *key, head, *job.service, body);

  const std::string name = operation_name(job.protocol, head, body);
  if (name.empty() && job.protocol == wire::Protocol::Query) co_return no_action();
  job.operation = find_operation(*job.service, job.protocol, name);
  if (!job.operation) throw unknown_operation(*job.service, job.protocol, name);
  body = uncompressed(head, std::move(body), limit);
  if (job.protocol == wire::Protocol::Query) body = with_path_member(*job.service, head, std::move(body));
  services::Erased input = decode(*job.service, *job.operation, job.protocol, head, body);

  services::Erased output = co_await run(exchange, job, std::move(input));
  http::Response response = to_http(
      wire::encode_response(job.protocol, job.service->wire, job.operation->wire, output.get(), job.request_id));
  const auto took = std::chrono::steady_clock::now() - job.arrived;
  metrics_.count(*job.operation, took);
  if (base::logs(base::LogLevel::Debug)) {
    base::log_debug("served", {{"request", job.request_id},
                               {"account", job.caller.account},
                               {"operation", job.operation->wire.name},
                               {"us", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
  }
  co_return response;
}

asio::awaitable<std::shared_ptr<const state::Key>> Dispatcher::identify(http::Exchange& exchange, Job& job,
                                                                        const http::Claim& claim) {
  check_region(claim.region);
  auto key = co_await find_key(claim.access_key);
  check_key(claim, key.get(), *job.service, engine_.clock().now());
  job.caller = {key->account,   key->id,   claim.region, endpoint_of(exchange),
                job.request_id, key->root, key->session_token.has_value()};
  co_return key;
}

const Route* Dispatcher::find_route(std::string_view path) const {
  for (const Route& route : routes_) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

asio::awaitable<http::Response> Dispatcher::serve_route(http::Exchange& exchange, Job& job, const Route& route) {
  job.protocol = wire::Protocol::Json11;
  http::ClaimResult claim = http::parse_claim(exchange.head());
  if (!claim) throw auth_error(claim.error, claim.message);
  for (const services::Service& service : services_) {
    if (service.signing_name == route.signing_name) job.service = &service;
  }
  if (!job.service) throw unknown_service(route.signing_name);
  auto key = co_await identify(exchange, job, claim.claim);
  check_signature(claim.claim, *key, exchange.head(), *job.service, "");
  http::Response response = co_await route.handler(exchange, job.caller);
  co_return response;
}

void Dispatcher::check_signature(const http::Claim& claim, const state::Key& key, const http::RequestHead& head,
                                 const services::Service& service, std::string_view body) {
  auto signing_key = signing_keys_.get({key.id, key.secret, ""}, claim.scope());
  const bool s3 = service.signing_name == "s3";
  auto verified = http::verify(claim, head, base::to_hex(base::sha256(body)), *signing_key, engine_.clock().now(), s3);
  if (!verified) throw auth_error(verified.error, verified.message);
}

// Runs the handler in its transaction, again for as long as it waits for something.
asio::awaitable<services::Erased> Dispatcher::run(http::Exchange& exchange, Job& job, services::Erased input) {
  const base::Time started = engine_.clock().now();
  std::string waited_for;
  for (;;) {
    services::Erased output = services::detail::nothing();
    std::vector<services::Wake> wakes;
    std::optional<services::Wait> wait;
    const std::uint64_t seen = engine_.topics().seen();
    store::Store::Work work = [&](store::Tx& tx) {
      services::Call call{tx, job.caller, engine_.clock().now(), started, &engine_.locals()};
      output = job.operation->run(call, input.get());
      wakes = std::move(call.wakes);
      wait = std::move(call.wait);
    };
    co_await transact(engine_.store(), job.operation->access, std::move(work));
    engine_.committed(wakes);
    const base::Time now = engine_.clock().now();
    const bool done = !wait || (wait->until <= now && !due(*wait, now)) || engine_.draining();
    if (done) {
      // They may have been told of something that is for the next in line.
      if (!waited_for.empty()) engine_.topics().wake(waited_for, 1);
      co_return output;
    }
    waited_for = wait->topic;
    const base::Time next = wait->again ? std::min(*wait->again, wait->until) : wait->until;
    co_await engine_.topics().wait(wait->topic, seen, std::max(next - now, base::Duration(1)));
    // A client that has gone must not be given messages that it will never read.
    if (exchange.peer_gone()) {
      engine_.topics().wake(waited_for, 1);
      co_return output;
    }
  }
}

http::Response Dispatcher::plain_page(const http::RequestHead& head) const {
  if (head.method != "GET" && head.method != "HEAD") return http::text_response(405, "only GET");
  if (head.path() == "/metrics") {
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.text()};
  }
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(engine_.clock().now() - started_at_).count();
  const shapes::stoker::Health health{engine_.draining() ? "stopping" : "ok", version_, up};
  std::string body;
  wire::write_json(wire::type_of<shapes::stoker::Health>(), &health, body);
  body += '\n';
  return {engine_.draining() ? 503 : 200, {{"Content-Type", "application/json"}}, std::move(body)};
}

http::Response Dispatcher::fail(Job& job, const ApiError& error) {
  const wire::Service& service = job.service ? job.service->wire : nobody();
  http::Response response = to_http(wire::encode_error(job.protocol, service, error, job.request_id));
  const std::string_view operation = job.operation ? job.operation->wire.name : std::string_view();
  metrics_.count_error(service.name, operation, error.code());
  base::log(response.status >= 500 ? base::LogLevel::Error : base::LogLevel::Debug, "refused",
            {{"request", job.request_id},
             {"service", service.name},
             {"operation", operation},
             {"code", error.code()},
             {"message", error.message()}});
  return response;
}

}  // namespace api
