// SPDX-License-Identifier: Apache-2.0
#include "api/dispatch.h"

#include <algorithm>
#include <boost/system/system_error.hpp>

#include "api/decode.h"
#include "api/errors.h"
#include "api/identify.h"
#include "api/rest_errors.h"
#include "api/virtual_host.h"
#include "base/log.h"
#include "base/random.h"
#include "http/gzip.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace api {
namespace asio = boost::asio;
using wire::ApiError;

namespace {

// Before a service is known.
const wire::Service& nobody() {
  static const wire::Service service{.name = "", .errors = common_errors()};
  return service;
}

ApiError unknown_service(const std::string& name) {
  return ApiError("UnknownOperationException", "The service '" + name + "' is not part of Stoker.");
}

bool is_page(std::string_view path) { return path == "/health" || path == "/metrics"; }

services::Caller caller_of(const http::Exchange& exchange, const Job& job, const signing::Claim& claim,
                           const state::Key& key) {
  return {key.account,
          key.id,
          claim.region,
          endpoint_of(exchange),
          job.request_id,
          key.root,
          key.session_token.has_value(),
          address_of(exchange.peer())};
}

// A body that can't be read, in the client's protocol all the same.
ApiError body_error(const http::Failure& failure) {
  if (failure.status() == 413) return ApiError("RequestEntityTooLargeException", failure.what());
  if (failure.status() == 408) return ApiError("RequestTimeoutException", failure.what());
  return ApiError("SerializationException", failure.what(), failure.status());
}

// What a client is told of it. What ends the connection itself goes on: there is nobody to be told.
ApiError told(const Job& job, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const ApiError& error) {
    return error;
  } catch (const signing::BodyError& error) {
    return rest_body_error(error);
  } catch (const http::Failure& error) {
    return job.rest() ? rest_body_error(error) : body_error(error);
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", job.request_id}, {"error", error.what()}});
    return job.rest() ? rest_store_error(error) : store_error(error);
  } catch (const boost::system::system_error&) {
    throw;
  } catch (const std::system_error& error) {
    base::log_error("a file failed", {{"request", job.request_id}, {"error", error.what()}});
    return rest_file_error(error);
  } catch (const std::exception& error) {
    base::log_error("handler failed", {{"request", job.request_id}, {"error", error.what()}});
    if (job.rest()) return rest_internal_error();
    return ApiError("InternalFailure", "The server made a mistake, and its log says which.");
  }
}

ApiError unknown_operation(const services::Service& service, wire::Protocol protocol, const std::string& name) {
  if (protocol == wire::Protocol::Query || protocol == wire::Protocol::Ec2) {
    return ApiError("InvalidAction", "The action " + name + " is not valid for this endpoint.");
  }
  return ApiError("UnknownOperationException",
                  "The operation " + name + " of " + std::string(service.wire.name) + " is not part of Stoker.");
}

// What S3 says of the request itself in two of its errors; services do not know.
void add_place(const Job& job, const http::RequestHead& head, ApiError& error) {
  if (error.code() == "MethodNotAllowed") error.with("Method", head.method);
  if (error.code() != "AccessForbidden") return;
  const auto& known = error.details();
  const bool told =
      std::any_of(known.begin(), known.end(), [](const auto& detail) { return detail.first == "ResourceType"; });
  if (!told) error.with("ResourceType", job.place.key ? "OBJECT" : "BUCKET");
}

// Amazon's answer to a form without an Action; it has no other member.
http::Response no_action() { return {404, {{"Content-Type", "text/xml"}}, "<UnknownOperationException/>\n"}; }

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

http::Response to_http(wire::HttpResponse response) {
  return {response.status, std::move(response.headers), std::move(response.body)};
}

}  // namespace

Dispatcher::Dispatcher(Engine& engine, std::vector<services::Service> services, Setup setup)
    : engine_(engine),
      services_(std::move(services)),
      setup_(std::move(setup)),
      started_at_(engine.clock().now()),
      authenticator_(engine),
      metrics_(services_) {
  for (services::Service& service : services_) {
    auto& table = error_tables_.emplace_back(service.wire.errors.begin(), service.wire.errors.end());
    for (const wire::ErrorSpec& spec : common_errors()) {
      if (!service.wire.find_error(spec.name)) table.push_back(spec);
    }
  }
  for (std::size_t i = 0; i < services_.size(); ++i) {
    services_[i].wire.errors = error_tables_[i];
    if (speaks_rest(services_[i])) rest_.emplace(engine_, authenticator_, setup_.disk, services_[i]);
  }
}

asio::awaitable<http::Response> Dispatcher::handle(http::Exchange& exchange) {
  const http::RequestHead& head = exchange.head();
  signing::ClaimResult claim = signing::parse_claim(head);
  Job job = identify(head, claim);
  if (!job.rest() && is_page(head.path())) co_return plain_page(head);
  // co_await is not allowed inside a catch, so what was thrown leaves it first.
  std::exception_ptr thrown;
  http::Response response;
  try {
    const Route* route = job.rest() ? nullptr : find_route(head.path());
    if (job.rest()) {
      response = co_await rest_->serve(exchange, job, std::move(claim));
    } else if (route) {
      response = co_await serve_route(exchange, job, std::move(claim), *route);
    } else {
      response = co_await serve(exchange, job, std::move(claim));
    }
    if (job.operation) count(job, head, response);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) response = fail(job, head, told(job, thrown));
  if (job.rest()) {
    co_await rest_->add_cors(exchange, job, response);
  }
  co_return response;
}

// Which service this is for, and in which protocol it is to be answered, whatever comes of it. What is
// signed is for whom it was signed; what is not is for our own pages first, and then for the service
// that takes such requests.
Job Dispatcher::identify(const http::RequestHead& head, const signing::ClaimResult& claim) const {
  Job job;
  job.protocol = guess_protocol(head);
  job.service = find_service(services_, head, claim.claim.service);
  const auto bucket = bucket_of_host(head.headers.get("Host"), setup_.domains);
  const bool ours = !bucket && (is_page(head.path()) || find_route(head.path()));
  if (!job.service && claim.claim.service.empty() && !ours) {
    job.service = find_rest_service(services_, head, bucket.has_value());
  }
  if (!job.service || !speaks_rest(*job.service)) return job;
  job.protocol = wire::Protocol::RestXml;
  job.request_id = base::random_text(16, "0123456789ABCDEF");  // as S3 names its requests
  job.place.path = bucket ? "/" + *bucket + std::string(head.path()) : std::string(head.path());
  return job;
}

// The one way of a request: down once, up once. Those of REST have another: rest.cc.
asio::awaitable<http::Response> Dispatcher::serve(http::Exchange& exchange, Job& job, signing::ClaimResult claim) {
  const http::RequestHead& head = exchange.head();
  // Who can't have signed it is refused before their body takes up room.
  if (!claim) throw auth_error(claim.error, claim.message);
  if (!job.service) throw unknown_service(claim.claim.service);
  const Signer signer = co_await authenticator_.find(claim.claim, *job.service);
  job.caller = caller_of(exchange, job, claim.claim, *signer.key);
  const std::size_t limit = job.service->body_limit;
  std::string body = co_await exchange.read_body(limit);
  authenticator_.check(claim.claim, signer, head, body);

  const std::string name = operation_name(job.protocol, head, body);
  if (name.empty() && job.protocol == wire::Protocol::Query) co_return no_action();
  job.operation = find_operation(*job.service, job.protocol, name);
  if (!job.operation) throw unknown_operation(*job.service, job.protocol, name);
  body = uncompressed(head, std::move(body), limit);
  if (job.protocol == wire::Protocol::Query) body = with_path_member(*job.service, head, std::move(body));
  const wire::HttpRequest request{head.method, head.path(), head.query(), head.headers, body};
  services::Erased input = decode(*job.service, *job.operation, job.protocol, request);

  Outcome outcome = co_await run_operation(engine_, exchange, job, input.get(), nullptr);
  co_return to_http(wire::encode_response(job.protocol, job.service->wire, job.operation->wire, outcome.output.get(),
                                          job.request_id));
}

const Route* Dispatcher::find_route(std::string_view path) const {
  for (const Route& route : setup_.routes) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

asio::awaitable<http::Response> Dispatcher::serve_route(http::Exchange& exchange, Job& job, signing::ClaimResult claim,
                                                        const Route& route) {
  job.protocol = wire::Protocol::Json11;
  if (!claim) throw auth_error(claim.error, claim.message);
  job.service = nullptr;
  for (const services::Service& service : services_) {
    if (service.signing_name == route.signing_name) job.service = &service;
  }
  if (!job.service) throw unknown_service(route.signing_name);
  const Signer signer = co_await authenticator_.find(claim.claim, *job.service);
  job.caller = caller_of(exchange, job, claim.claim, *signer.key);
  authenticator_.check(claim.claim, signer, exchange.head(), "");
  http::Response response = co_await route.handler(exchange, job.caller);
  co_return response;
}

void Dispatcher::count(const Job& job, const http::RequestHead& head, const http::Response& response) {
  const auto took = std::chrono::steady_clock::now() - job.arrived;
  metrics_.count(*job.operation, took);
  const std::uint64_t out = response.parts.empty() || head.method == "HEAD" ? 0 : response.body_size();
  metrics_.count_bytes(job.service->wire.name, job.spooled_bytes, out);
  if (!base::logs(base::LogLevel::Debug)) return;
  base::log_debug("served", {{"request", job.request_id},
                             {"account", job.caller.account},
                             {"operation", job.operation->wire.name},
                             {"us", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
}

http::Response Dispatcher::plain_page(const http::RequestHead& head) const {
  if (head.method != "GET" && head.method != "HEAD") return http::text_response(405, "only GET");
  if (head.path() == "/metrics") {
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.text()};
  }
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(engine_.clock().now() - started_at_).count();
  const shapes::stoker::Health health{engine_.draining() ? "stopping" : "ok", setup_.version, up};
  std::string body;
  wire::write_json(wire::type_of<shapes::stoker::Health>(), &health, body);
  body += '\n';
  return {engine_.draining() ? 503 : 200, {{"Content-Type", "application/json"}}, std::move(body)};
}

http::Response Dispatcher::fail(const Job& job, const http::RequestHead& head, ApiError error) {
  const wire::Service& service = job.service ? job.service->wire : nobody();
  if (job.rest()) add_place(job, head, error);
  http::Response response = to_http(wire::encode_error(job.protocol, service, error, job.request_id));
  if (job.rest() && head.method == "HEAD") response.body.clear();
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
