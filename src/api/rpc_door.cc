// SPDX-License-Identifier: Apache-2.0
#include "api/rpc_door.h"

#include <optional>

#include "api/decode.h"
#include "api/errors.h"
#include "api/identify.h"
#include "api/machine_access.h"
#include "api/run.h"
#include "api/task_access.h"
#include "http/gzip.h"
#include "wire/query_json.h"

namespace api {
namespace asio = boost::asio;
using wire::ApiError;

namespace {

ApiError unknown_operation(const services::Service& service, wire::Protocol protocol, const std::string& name) {
  if (protocol == wire::Protocol::Query || protocol == wire::Protocol::Ec2) {
    return ApiError("InvalidAction", "The action " + name + " is not valid for this endpoint.");
  }
  return ApiError("UnknownOperationException", "Stoker does not support the operation " + name + " of " +
                                                   std::string(service.wire.name) + ".");
}

// Amazon's answer to a form without an Action; it has no other member.
http::Response no_action() {
  return {404, {{"Content-Type", "text/xml"}}, "<UnknownOperationException/>\n"};
}

// SQS answers GETs of the query protocol in JSON where the client prefers that.
bool wants_json(const Job& job, const http::RequestHead& head) {
  return head.method == "GET" && job.protocol == wire::Protocol::Query && job.service &&
         job.service->wire.name == "sqs" && head.headers.get("Accept") == "application/json";
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

// Each time the handler found that what was prepared for it is outdated.
constexpr int kMaxPreparations = 3;
constexpr char kKeepsChanging[] = "What the request depends on changed while the request was being prepared. Try again.";

// False: what was prepared is outdated, and nothing was written.
bool runs(const services::Operation& operation, services::Call& call, const void* input, services::Erased& output) {
  try {
    output = operation.run(call, input);
    return true;
  } catch (const services::Outdated&) {
    return false;
  }
}

// The handler's input, which has nothing of the body: that is released here, because a long poll lasts long.
services::Erased decode_body(const Job& job, const http::RequestHead& head, std::string body) {
  const services::Service& service = *job.service;
  body = uncompressed(head, std::move(body), service.body_limit);
  if (job.protocol == wire::Protocol::Query) body = with_path_member(service, head, std::move(body));
  const wire::HttpRequest request{head.method, head.path(), head.query(), head.headers, body};
  return decode(service, *job.operation, job.protocol, request);
}

}  // namespace

asio::awaitable<http::Response> RpcDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  const http::RequestHead& head = exchange.head();
  Job job;
  job.protocol = guess_protocol(head);
  job.query_mode = head.headers.get("x-amzn-query-mode") == "true";
  const std::string& signed_for = claim.claim.service;
  job.service = signed_for.empty() ? registry_.find_addressed(head) : registry_.find_signed(signed_for);
  if (job.service) job.protocol = protocol_of(*job.service, job.protocol);
  // co_await is not allowed inside a catch, so the exception leaves it first.
  std::exception_ptr thrown;
  http::Response response;
  try {
    response = co_await run(exchange, job, claim);
    if (job.operation) log_.succeeded(job);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    const ApiError error = to_api_error(job, thrown);
    response = error_response(job, error, log_);
    const int status = response.status;
    if (wants_json(job, head)) response = to_http(wire::encode_query_json_error(job.service->wire, error, job.request_id));
    response.status = status;
  }
  co_return response;
}

asio::awaitable<std::shared_ptr<const void>> RpcDoor::prepare(const Job& job, const void* input) {
  std::shared_ptr<const void> prepared;
  const services::Operation& operation = *job.operation;
  if (!operation.prepare || !operation.needs_preparation(input)) co_return prepared;
  Handler handler = [&](services::Call& call) { prepared = operation.prepare(call, input); };
  const Run read{job.caller, services::Access::Read};
  co_await read_once(engine_, read, std::move(handler));
  co_return prepared;
}

// The one way of a request: down once, up once.
asio::awaitable<http::Response> RpcDoor::run(http::Exchange& exchange, Job& job, const signing::ClaimResult& claim) {
  const http::RequestHead& head = exchange.head();
  // A request that nobody can have signed is rejected before its body takes up memory.
  if (!claim) throw auth_error(claim.error, claim.message);
  if (!job.service) throw unsupported_service(claim.claim.service);
  const Signer signer = co_await authenticator_.find_or_throw(claim, job.service->signing_name);
  job.caller = caller_of(exchange, job.request_id, claim.claim, *signer.key);
  std::string body = co_await exchange.read_body(job.service->body_limit);
  authenticator_.verify(claim.claim, signer, head, body);
  exchange.set_account(job.caller.account);

  const std::string name = operation_name(job.protocol, head, body);
  if (name.empty() && job.protocol == wire::Protocol::Query) co_return no_action();
  job.operation = find_operation(*job.service, job.protocol, name);
  if (!job.operation) throw unknown_operation(*job.service, job.protocol, name);
  check_task_access(job.caller, job.service->wire.name, name);
  check_machine_access(job.caller, job.service->wire.name, name);
  services::Erased input = decode_body(job, head, std::move(body));

  services::Erased output = services::detail::nothing();
  std::optional<wire::HttpResponse> encoded;
  const auto encode = [&] {
    if (wants_json(job, head)) return wire::encode_query_json_response(job.operation->wire, output.get(), job.request_id);
    return wire::encode_response(job.protocol, job.service->wire, job.operation->wire, output.get(), job.request_id);
  };
  // What was read is encoded on the reader, where accounts take turns: many long answers of one account would hold up the
  // connections of all others on this thread. The writer's time is too scarce for that.
  const bool reads = job.operation->access == services::Access::Read;
  std::shared_ptr<const void> prepared;
  bool outdated = true;
  for (int attempt = 1; outdated; ++attempt) {
    if (attempt > kMaxPreparations) throw ApiError("ServiceUnavailableException", kKeepsChanging);
    prepared = co_await prepare(job, input.get());
    // Checked in the transaction: the disk may have become full while the request waited, and a work that runs again with
    // the disk's reserve must not grow.
    Handler handler = [&](services::Call& call) {
      if (!engine_.admits(*job.operation)) throw ApiError("ServiceUnavailableException", kFullDisk);
      call.prepared = prepared.get();
      outdated = !runs(*job.operation, call, input.get(), output);
      if (reads && !outdated) encoded = encode();
    };
    const Run run{job.caller, job.operation->access};
    co_await run_handler(engine_, exchange, run, std::move(handler));
  }
  if (!encoded) encoded = encode();
  co_return to_http(std::move(*encoded));
}

}  // namespace api
