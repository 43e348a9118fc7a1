// SPDX-License-Identifier: Apache-2.0
#include "api/dispatch.h"

#include <algorithm>

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

// What is read of a body whose service is not known, to answer it properly.
constexpr std::size_t kUnknownBodyLimit = 1u << 20;

std::string endpoint_of(const http::Exchange& exchange) {
  std::string_view host = exchange.head().headers.get("Host");
  return (exchange.secure() ? "https://" : "http://") + std::string(host.empty() ? "localhost" : host);
}

ApiError unknown_service(std::string_view scope, const http::RequestHead& head) {
  std::string name(scope.empty() ? head.headers.get("X-Amz-Target") : scope);
  if (name.empty()) return ApiError("MissingAuthenticationTokenException", "Missing Authentication Token");
  return ApiError("UnknownOperationException", "The service of '" + name + "' is not part of Stoker.");
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
  if (form_field(body, service.path_member)) return body;
  if (!body.empty()) body += '&';
  auto decoded = base::percent_decode(head.path());
  return body + std::string(service.path_member) + "=" + base::percent_encode(decoded.value_or(""));
}

std::string uncompressed(const http::RequestHead& head, std::string body, std::size_t limit) {
  if (!base::equals_ignoring_case(head.headers.get("Content-Encoding"), "gzip")) return body;
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

http::Response to_http(wire::HttpResponse response) {
  return {response.status, std::move(response.headers), std::move(response.body)};
}

}  // namespace

Dispatcher::Dispatcher(store::Store& store, Topics& topics, base::Clock& clock, std::vector<services::Service> services,
                       std::string version)
    : store_(store),
      topics_(topics),
      clock_(clock),
      services_(std::move(services)),
      version_(std::move(version)),
      started_at_(clock.now()),
      metrics_(services_) {
  for (services::Service& service : services_) {
    auto& table = error_tables_.emplace_back(service.wire.errors.begin(), service.wire.errors.end());
    for (const wire::ErrorSpec& spec : common_errors()) {
      if (!service.wire.find_error(spec.name)) table.push_back(spec);
    }
  }
  for (std::size_t i = 0; i < services_.size(); ++i) services_[i].wire.errors = error_tables_[i];
}

void Dispatcher::load_keys() {
  store_.read_now([&](store::Tx& tx) { keys_.replace(state::load_keys(tx, clock_.now())); });
}

asio::awaitable<void> Dispatcher::reload_keys() {
  std::vector<state::Key> keys;
  store::Store::Work work = [&](store::Tx& tx) { keys = state::load_keys(tx, clock_.now()); };
  co_await transact(store_, Access::Read, std::move(work));
  keys_.replace(std::move(keys));
}

void Dispatcher::drain() {
  draining_ = true;
  topics_.wake_all();
}

asio::awaitable<http::Response> Dispatcher::handle(http::Exchange& exchange) {
  std::string_view path = exchange.head().path();
  if (path == "/health" || path == "/metrics") co_return plain_page(exchange.head());
  Job job;
  job.protocol = guess_protocol(exchange.head());
  // co_await is not allowed inside a catch, so what was thrown leaves it first.
  std::optional<ApiError> failure;
  try {
    http::Response response = co_await serve(exchange, job);
    co_return response;
  } catch (const ApiError& error) {
    failure = error;
  } catch (const http::Failure& error) {
    if (error.status() != 413) throw;
    failure = ApiError("RequestEntityTooLargeException", error.what());
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", job.request_id}, {"error", error.what()}});
    failure = store_error(error);
  }
  co_return fail(job, *failure);
}

// The one way of a request: down once, up once.
asio::awaitable<http::Response> Dispatcher::serve(http::Exchange& exchange, Job& job) {
  const http::RequestHead& head = exchange.head();
  http::ClaimResult claim = http::parse_claim(head);
  job.service = find_service(services_, head, claim.claim.service);
  const std::size_t limit = job.service ? job.service->body_limit : kUnknownBodyLimit;
  std::string body = co_await exchange.read_body(limit);
  if (!job.service) {
    if (!claim) throw auth_error(claim.error, claim.message);
    throw unknown_service(claim.claim.service, head);
  }

  auto key = authenticate(head, claim, *job.service, body);
  check_region(claim.claim.region);
  job.caller = {key->account, key->id, claim.claim.region, endpoint_of(exchange), job.request_id, key->root,
                key->session_token.has_value()};

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

std::shared_ptr<const state::Key> Dispatcher::authenticate(const http::RequestHead& head,
                                                           const http::ClaimResult& result,
                                                           const services::Service& service, std::string_view body) {
  auto refuse = [](http::AuthError error) {
    http::AuthResult failure = http::auth_failure(error);
    return auth_error(failure.error, failure.message);
  };
  if (!result) throw auth_error(result.error, result.message);
  const http::Claim& claim = result.claim;
  const base::Time now = clock_.now();
  auto key = keys_.find(claim.access_key);
  if (!key) throw refuse(http::AuthError::UnknownKey);
  if (claim.service != service.signing_name) throw refuse(http::AuthError::BadScope);
  if (!base::equals_in_constant_time(claim.session_token, key->session_token.value_or(""))) {
    throw refuse(http::AuthError::BadToken);
  }
  if (key->expires_at && *key->expires_at <= now) throw refuse(http::AuthError::ExpiredToken);
  auto signing_key = signing_keys_.get({key->id, key->secret, ""}, claim.scope());
  const bool s3 = service.signing_name == "s3";
  auto verified = http::verify(claim, head, base::to_hex(base::sha256(body)), *signing_key, now, s3);
  if (!verified) throw auth_error(verified.error, verified.message);
  return key;
}

// Runs the handler in its transaction, again for as long as it waits for something.
asio::awaitable<services::Erased> Dispatcher::run(http::Exchange& exchange, Job& job, services::Erased input) {
  const base::Time started = clock_.now();
  for (;;) {
    services::Erased output = services::detail::nothing();
    std::vector<std::string> wakes;
    std::optional<services::Wait> wait;
    const std::uint64_t seen = topics_.seen();
    store::Store::Work work = [&](store::Tx& tx) {
      services::Call call{tx, job.caller, clock_.now(), started};
      output = job.operation->run(call, input.get());
      wakes = std::move(call.wakes);
      wait = std::move(call.wait);
    };
    co_await transact(store_, job.operation->access, std::move(work));
    topics_.wake(wakes);
    if (std::find(wakes.begin(), wakes.end(), state::kKeysTopic) != wakes.end()) {
      co_await reload_keys();
    }
    const base::Time now = clock_.now();
    if (!wait || wait->until <= now || draining_) co_return output;
    const base::Time next = wait->again ? std::min(*wait->again, wait->until) : wait->until;
    co_await topics_.wait(wait->topic, seen, std::max(next - now, base::Duration(1)));
    // A client that has gone must not be given messages that it will never read.
    if (exchange.peer_gone()) co_return output;
  }
}

http::Response Dispatcher::plain_page(const http::RequestHead& head) const {
  if (head.method != "GET" && head.method != "HEAD") return http::text_response(405, "only GET");
  if (head.path() == "/metrics") {
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.text()};
  }
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - started_at_).count();
  const shapes::stoker::Health health{"ok", version_, up};
  std::string body;
  wire::write_json(wire::type_of<shapes::stoker::Health>(), &health, body);
  body += '\n';
  return {200, {{"Content-Type", "application/json"}}, std::move(body)};
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
