// SPDX-License-Identifier: Apache-2.0
#include "api/rest.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "api/checksum_headers.h"
#include "api/decode.h"
#include "api/form.h"
#include "api/header_text.h"
#include "api/query_headers.h"
#include "api/rest_errors.h"
#include "base/hash.h"
#include "base/log.h"
#include "signing/sigv2.h"
#include "signing/sigv4_s3.h"

namespace api {
namespace asio = boost::asio;
using services::Body;
using wire::ApiError;

// Whoever deletes an object while it is looked up may be faster so often, and then it is gone for good.
constexpr int kMaxLooks = 3;

struct RestServer::Request {
  http::Exchange& exchange;
  Job& job;
  std::optional<signing::Claim> claim = {};  // verified; none of somebody without a key
  Signer signer = {};
  std::optional<FormBody> form = {};
  std::optional<HeldUpload> held = {};

  // What a presigned URL says in the place of headers is among them here.
  std::optional<http::RequestHead> presigned = {};

  const signing::Claim* signed_claim() const { return claim ? &*claim : nullptr; }
  // What the client sent, and no copy of something else.
  void take(HeldUpload upload) {
    job.spooled_bytes = upload.get().size;
    held.emplace(std::move(upload));
  }
  const http::RequestHead& head() const { return presigned ? *presigned : exchange.head(); }
  // Of all buckets: without the one that the host named, which is in the path where it is said again.
  std::string endpoint() const {
    std::string whole = endpoint_of(exchange);
    const bool hosted = job.place.path != exchange.head().path();
    if (hosted) whole.erase(whole.find("//") + 2, job.place.bucket.size() + 1);
    return whole;
  }
};

namespace {

void set_key(const state::Key& key, const signing::Claim& claim, services::Caller& caller) {
  caller.account = key.account;
  caller.access_key = key.id;
  caller.region = claim.region;
  caller.root = key.root;
  caller.temporary = key.session_token.has_value();
}

// Where a request says what its body's checksum is made with, x-amz-checksum-* are of the body. In
// others, as CompleteMultipartUpload, they are of an object.
bool sums_up_body(const services::Operation& operation) {
  if (!operation.wire.input) return false;
  const auto& fields = operation.wire.input->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [](const wire::Field& field) { return field.traits->at == "x-amz-sdk-checksum-algorithm"; });
}

// Its body is XML, and not one that may be left out.
bool needs_document(const services::Operation& operation) {
  const wire::Field* payload = operation.wire.input ? operation.wire.input->payload : nullptr;
  return payload && payload->required_bit && payload->type->kind == wire::Kind::Struct;
}

// A wish for encryption is refused where an object is read and with a part, which is its upload's.
void check_encryption_wish(const Job& job, const http::RequestHead& head) {
  constexpr char kWish[] = "x-amz-server-side-encryption";
  const std::string* wish = head.headers.find(kWish);
  if (!wish || !job.place.key || !job.operation->wire.input) return;
  const auto& fields = job.operation->wire.input->fields;
  const bool part = std::any_of(fields.begin(), fields.end(),
                                [](const wire::Field& field) { return field.traits->at == "partNumber"; });
  if (head.method != "GET" && head.method != "HEAD" && !part) return;
  throw ApiError("InvalidArgument", std::string(kWish) + " header is not supported for this operation.", 400)
      .with("ArgumentName", kWish)
      .with("ArgumentValue", *wish);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

void add_headers(const base::Headers& more, base::Headers& headers) {
  for (const auto& [name, value] : more) headers.add(name, value);
}

}  // namespace

asio::awaitable<http::Response> RestServer::serve(http::Exchange& exchange, Job& job, signing::ClaimResult claim) {
  job.place = rest_place(job.place.path);
  if (exchange.head().method == "OPTIONS") {
    http::Response response = co_await preflight(exchange, job);
    co_return response;
  }
  Request request{exchange, job};
  co_await authenticate(request, std::move(claim));
  if (request.claim && request.claim->presigned) request.presigned = with_query_headers(exchange.head());
  job.operation = &routes_.find(job.place, request.head());
  services::Erased input = co_await read(request);
  co_await spool(request, input.get());
  http::Response response = co_await answer(request, input.get());
  // S3 says of a bucket what it would say of the list of its objects.
  if (request.head().method == "HEAD" && !job.place.key) response.headers.set("Content-Type", "application/xml");
  co_return response;
}

// Everybody gets through who has not tried to sign: what they may is for the handlers to say.
asio::awaitable<void> RestServer::authenticate(Request& request, signing::ClaimResult claim) {
  services::Caller& caller = request.job.caller;
  const http::RequestHead& head = request.exchange.head();
  if (claim.error == signing::AuthError::Missing) {
    caller.region = "us-east-1";
  } else if (!claim) {
    throw signing::s3_claim_error(head, claim);
  } else {
    request.signer = co_await authenticator_.find(claim.claim, *request.job.service);
    authenticator_.check_head(claim.claim, request.signer, head, request.job.place.path);
    set_key(*request.signer.key, claim.claim, caller);
    request.claim = std::move(claim.claim);
  }
  caller.endpoint = request.endpoint();
  caller.request_id = request.job.request_id;
  caller.address = address_of(request.exchange.peer());
  caller.referer = head.headers.get("Referer");
  caller.user_agent = head.headers.get("User-Agent");
}

// What the handler gets as a struct: of the head alone, where the body is not one.
asio::awaitable<services::Erased> RestServer::read(Request& request) {
  const http::RequestHead& head = request.head();
  const Job& job = request.job;
  base::Headers headers = without_false_dates(without_aws_chunked(head.headers));
  if (!request.presigned) headers = with_unicode_metadata(headers);
  check_checksum_headers(headers);
  check_encryption_wish(job, head);
  if (job.operation->needs_digest) require_digest(headers);
  std::string bytes;
  if (job.operation->body == Body::Whole) {
    RestBody body(request.exchange, request.signed_claim(), request.signer.signing_key);
    bytes = co_await body.whole(job.service->body_limit);
    if (request.claim && request.claim->names_body_hash()) {
      const std::string computed = base::to_hex(base::sha256(bytes));
      if (computed != request.claim->payload_hash) throw payload_hash_error(request.claim->payload_hash, computed);
    }
    const bool sums = sums_up_body(*job.operation);
    check_digests(head.headers, sums, bytes);
    check_digests(body.trailers(), sums, bytes);
  }
  if (job.operation->body == Body::Form) {
    co_await read_form(request);
  }
  if (bytes.empty() && needs_document(*job.operation)) {
    throw ApiError("MissingRequestBodyError", "Request Body is empty", 400);
  }
  const wire::HttpRequest decoded{head.method, job.place.path, head.query(), headers, bytes};
  services::Erased input = decode(*job.service, *job.operation, job.protocol, decoded);
  if (request.form) fill_form(request.form->form(), *job.operation->wire.input, input.get());
  co_return input;
}

// A form is signed by its fields. Whoever signed the request itself is believed, too.
asio::awaitable<void> RestServer::read_form(Request& request) {
  const bool hashed = request.claim && request.claim->names_body_hash();
  request.form.emplace(request.exchange, hashed ? request.claim->payload_hash : "");
  co_await request.form->read_fields();
  if (request.claim) co_return;
  const base::Headers& fields = request.form->form().fields();
  auto claim = signing::parse_form_claim(fields);
  if (!claim) co_return;
  const Signer signer = co_await authenticator_.find(*claim, *request.job.service);
  if (claim->version2) {
    signing::verify_form_version2(*claim, fields, signer.key->secret);
  } else {
    signing::verify_form(*claim, fields, *signer.signing_key);
  }
  set_key(*signer.key, *claim, request.job.caller);
}

// What the handler gets as bytes: the client's, or those of other objects.
asio::awaitable<void> RestServer::spool(Request& request, const void* input) {
  const services::Operation& operation = *request.job.operation;
  if (!operation.before) co_return;
  for (int look = 1;; ++look) {
    services::Spool wanted = co_await run_before(engine_, request.job, input);
    if (!wanted.source) {
      if (operation.body == Body::Whole) co_return;
      if (request.form) {
        NextPiece next = std::bind_front(&FormBody::next, &*request.form);
        HeldUpload held = co_await spool_file(disk_, std::move(next), std::move(wanted));
        request.take(std::move(held));
        co_return;
      }
      RestBody body(request.exchange, request.signed_claim(), request.signer.signing_key);
      body.require_size();
      HeldUpload held = co_await spool_body(disk_, body, std::move(wanted), request.signed_claim());
      request.take(std::move(held));
      co_return;
    }
    auto extents = co_await open_extents(disk_, *wanted.source);
    if (extents) {
      HeldUpload held = co_await spool_extents(disk_, std::move(*extents), std::move(wanted));
      request.held.emplace(std::move(held));  // no bytes that came in
      co_return;
    }
    if (look == kMaxLooks) throw rest_internal_error();
  }
}

asio::awaitable<http::Response> RestServer::answer(Request& request, const void* input) {
  const Job& job = request.job;
  const services::Upload* upload = request.held ? &request.held->get() : nullptr;
  for (int look = 1;; ++look) {
    Outcome outcome;
    try {
      outcome = co_await run_operation(engine_, request.exchange, job, input, upload);
    } catch (const store::Error&) {
      if (request.held) request.held->leave();
      throw;
    }
    if (request.held) request.held->keep();
    std::optional<OpenExtents> extents(std::in_place);
    if (outcome.download) {
      extents = co_await open_extents(disk_, std::move(*outcome.download));
    }
    if (extents) {
      wire::HttpResponse encoded = wire::encode_response(job.protocol, job.service->wire, job.operation->wire,
                                                         outcome.output.get(), job.request_id);
      http::Response response{outcome.status.value_or(encoded.status), std::move(encoded.headers),
                              std::move(encoded.body), std::move(extents->parts), std::move(extents->opener)};
      co_return response;
    }
    if (look == kMaxLooks) {
      base::log_error("an object's file is missing", {{"request", job.request_id}, {"path", job.place.path}});
      throw rest_internal_error();
    }
  }
}

asio::awaitable<http::Response> RestServer::preflight(http::Exchange& exchange, Job& job) {
  const base::Headers& headers = exchange.head().headers;
  services::CorsQuestion question;
  question.bucket = job.place.bucket;
  question.origin = headers.get("Origin");
  question.method = headers.get("Access-Control-Request-Method");
  question.headers = split_list(headers.get("Access-Control-Request-Headers"));
  question.preflight = true;
  if (question.origin.empty()) {
    throw ApiError("BadRequest", "Insufficient information. Origin request header needed.", 400);
  }
  constexpr std::string_view kMethods[] = {"GET", "PUT", "POST", "DELETE", "HEAD"};
  if (std::find(std::begin(kMethods), std::end(kMethods), question.method) == std::end(kMethods)) {
    const std::string said = question.method.empty() ? "null" : question.method;
    throw ApiError("BadRequest", "Invalid Access-Control-Request-Method: " + said, 400);
  }
  std::optional<base::Headers> allowed;
  Engine::Work work = [&](services::Call& call) {
    if (job.service->cors) allowed = job.service->cors(call, question);
  };
  co_await engine_.run(services::Access::Read, job.caller, std::move(work));
  if (!allowed) throw ApiError("AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.", 403);
  wire::HttpResponse empty = wire::encode_response(job.protocol, job.service->wire, {}, nullptr, job.request_id);
  http::Response response{200, std::move(empty.headers), ""};
  add_headers(*allowed, response.headers);
  co_return response;
}

asio::awaitable<void> RestServer::add_cors(http::Exchange& exchange, const Job& job, http::Response& response) {
  const http::RequestHead& head = exchange.head();
  services::CorsQuestion question;
  question.bucket = job.place.bucket;
  question.origin = head.headers.get("Origin");
  // Who sends a preflight's headers with the request itself is answered by them, as by Amazon.
  question.method = head.headers.get("Access-Control-Request-Method");
  if (question.method.empty()) question.method = head.method;
  question.headers = split_list(head.headers.get("Access-Control-Request-Headers"));
  if (question.origin.empty() || question.bucket.empty() || !job.service->cors || head.method == "OPTIONS") co_return;
  std::optional<base::Headers> allowed;
  Engine::Work work = [&](services::Call& call) { allowed = job.service->cors(call, question); };
  co_await engine_.run(services::Access::Read, job.caller, std::move(work));
  if (allowed) add_headers(*allowed, response.headers);
}

}  // namespace api
