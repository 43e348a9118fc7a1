// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/objects_door.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "api/decode.h"
#include "api/errors.h"
#include "api/identify.h"
#include "api/run.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "doors/objects/checksum_headers.h"
#include "doors/objects/errors.h"
#include "doors/objects/form_body.h"
#include "doors/objects/header_text.h"
#include "doors/objects/query_headers.h"
#include "doors/objects/request_body.h"
#include "doors/objects/virtual_host.h"
#include "services/s3/buckets/bucket_row.h"
#include "services/s3/errors.h"
#include "signing/sigv2.h"
#include "signing/sigv4_s3.h"

namespace doors::objects {
namespace asio = boost::asio;
using services::s3::Body;
using services::s3::CorsRequest;
using services::s3::ObjectTable;
using services::s3::ObjectCall;
using wire::ApiError;

// A file may be deleted between its lookup and its opening. After so many attempts it is missing for good.
constexpr int kMaxAttempts = 3;

namespace {

// What a handler returns.
struct Outcome {
  services::Erased output = services::detail::nothing();
  std::optional<std::vector<services::s3::Extent>> download = {};
  std::optional<int> status = {};
  std::optional<wire::HttpResponse> encoded = {};
};

}  // namespace

struct ObjectsDoor::Request {
  http::Exchange& exchange;
  Job& job;
  std::optional<signing::Claim> claim = {};  // verified; nullopt for anonymous callers
  api::Signer signer = {};
  std::optional<FormBody> form = {};
  std::optional<spool::HeldUpload> held = {};
  std::shared_ptr<const void> prepared = {};  // for the handler

  // The head of a presigned URL, with the headers of its query.
  std::optional<http::RequestHead> presigned = {};

  const signing::Claim* signed_claim() const { return claim ? &*claim : nullptr; }
  // Takes bytes that the client sent.
  void take(spool::HeldUpload upload) {
    job.spooled_bytes = upload.get().size;
    held.emplace(std::move(upload));
  }
  const http::RequestHead& head() const { return presigned ? *presigned : exchange.head(); }
  // Without the bucket, where the host names it: the path has it, too.
  std::string endpoint() const {
    std::string whole = api::endpoint_of(exchange);
    const bool hosted = job.place.path != exchange.head().path();
    if (hosted) whole.erase(whole.find("//") + 2, job.place.bucket.size() + 1);
    return whole;
  }
};

namespace {

void set_key(const state::Key& key, const signing::Claim& claim, services::Caller& caller) {
  if (key.scope == state::KeyScope::Machine) throw ApiError("AccessDenied", "Access Denied", 403);
  caller.account = key.account;
  caller.access_key = key.id;
  caller.region = claim.region;
  caller.root = key.root;
  caller.temporary = key.session_token.has_value();
  caller.task = key.scope == state::KeyScope::Task;
}

// Where the operation has this header, x-amz-checksum-* describe the body. In others, as CompleteMultipartUpload,
// they describe an object.
bool states_body_checksum(const services::Operation& operation) {
  if (!operation.wire.input) return false;
  const auto& fields = operation.wire.input->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [](const wire::Field& field) { return field.traits->at == "x-amz-sdk-checksum-algorithm"; });
}

// Whether the operation needs an XML body.
bool needs_document(const services::Operation& operation) {
  const wire::Field* payload = operation.wire.input ? operation.wire.input->payload : nullptr;
  return payload && payload->required_bit && payload->type->kind == wire::Kind::Struct;
}

// The encryption header is rejected for reads of objects and for parts, whose upload decides it.
void check_encryption_header(const Job& job, const http::RequestHead& head) {
  constexpr char kEncryptionHeader[] = "x-amz-server-side-encryption";
  const std::string* wish = head.headers.find(kEncryptionHeader);
  if (!wish || !job.place.key || !job.operation->wire.input) return;
  const auto& fields = job.operation->wire.input->fields;
  const bool part = std::any_of(fields.begin(), fields.end(),
                                [](const wire::Field& field) { return field.traits->at == "partNumber"; });
  if (head.method != "GET" && head.method != "HEAD" && !part) return;
  throw ApiError("InvalidArgument", std::string(kEncryptionHeader) + " header is not supported for this operation.", 400)
      .with("ArgumentName", kEncryptionHeader)
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

// A read of one object takes less time than a switch to another thread and back; a page of its parts does not.
api::Place place_of(const Job& job) {
  const std::string_view name = job.operation->wire.name;
  const bool lists = name == "ListParts" || name == "GetObjectAttributes";
  const bool here = job.operation->access == services::Access::Read && job.place.key && !lists;
  return here ? api::Place::Here : api::Place::Store;
}

void check_key(signing::AuthError problem, const signing::Claim& claim, base::Time now) {
  if (problem != signing::AuthError::None) throw auth_error(signing::auth_failure(problem), claim, now);
}

// S3 states these of the request itself in two of its errors; services do not see the request.
void add_place(const Job& job, const http::RequestHead& head, ApiError& error) {
  if (error.code() == "MethodNotAllowed") error.with("Method", head.method);
  if (error.code() != "AccessForbidden") return;
  const auto& known = error.details();
  const bool stated =
      std::any_of(known.begin(), known.end(), [](const auto& detail) { return detail.first == "ResourceType"; });
  if (!stated) error.with("ResourceType", job.place.key ? "OBJECT" : "BUCKET");
}

void add_condition(std::string key, std::string_view value, services::Caller& caller) {
  if (!value.empty()) caller.conditions.emplace(std::move(key), value);
}

// nullopt where the page is of no other origin, or where the path names no bucket.
std::optional<CorsRequest> cors_request(const Job& job, const http::RequestHead& head) {
  CorsRequest cors;
  cors.bucket = job.place.bucket;
  cors.origin = head.headers.get("Origin");
  // As Amazon does: a request that has a preflight's headers is answered by them.
  cors.method = head.headers.get("Access-Control-Request-Method");
  if (cors.method.empty()) cors.method = head.method;
  cors.headers = split_list(head.headers.get("Access-Control-Request-Headers"));
  if (cors.origin.empty() || cors.bucket.empty()) return std::nullopt;
  return cors;
}

void add_headers(const base::Headers& more, base::Headers& headers) {
  for (const auto& [name, value] : more) headers.add(name, value);
}

}  // namespace

ObjectsDoor::ObjectsDoor(Setup setup, ObjectTable table) : setup_(std::move(setup)), table_(std::move(table)) {
  CHECK(table_.operations.size() == setup_.service.operations.size()) << "a table of another service";
  setup_.metrics.count_bytes_of(setup_.service.wire.name);
}

// Requests that are signed for S3, and unsigned ones, unless they are addressed to another service by a target,
// an action or a path.
bool ObjectsDoor::accepts(const api::Arrival& arrival) const {
  const http::RequestHead& head = arrival.head;
  const std::string& signed_for = arrival.claim.claim.service;
  if (!signed_for.empty()) return signed_for == setup_.service.signing_name;
  const bool names_bucket = bucket_of_host(head.headers.get("Host"), setup_.domains).has_value();
  if (arrival.reserved && !names_bucket) return false;
  const std::string_view type = head.headers.get("Content-Type");
  if (!api::addressed_service(head).empty() || head.headers.find("X-Amz-Target")) return false;
  if (head.headers.find("smithy-protocol")) return false;
  if (type.starts_with("application/x-amz-json") || api::form_field(head.query(), "Action")) return false;
  if (head.method != "POST") return true;
  const bool service_root = head.path() == "/" && !names_bucket;
  return !service_root && !type.starts_with("application/x-www-form-urlencoded");
}

asio::awaitable<http::Response> ObjectsDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  const http::RequestHead& head = exchange.head();
  Job job;
  job.protocol = wire::Protocol::RestXml;
  job.service = &setup_.service;
  job.request_id = base::random_text(16, "0123456789ABCDEF");  // as S3 names its requests
  const auto bucket = bucket_of_host(head.headers.get("Host"), setup_.domains);
  job.place.path = bucket ? "/" + *bucket + std::string(head.path()) : std::string(head.path());
  // co_await is not allowed inside a catch, so the exception leaves it first.
  std::exception_ptr thrown;
  http::Response response;
  try {
    response = co_await run(exchange, job, claim);
    if (job.operation) count(job, head, response);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) response = fail(job, head, objects::to_api_error(job, thrown));
  if (job.cors) {
    co_await add_cors(job, response);
  }
  response.headers.set("Server", "AmazonS3");
  co_return response;
}

void ObjectsDoor::count(const Job& job, const http::RequestHead& head, const http::Response& response) {
  setup_.log.succeeded(job);
  const std::uint64_t out = response.parts.empty() || head.method == "HEAD" ? 0 : response.body_size();
  setup_.metrics.count_bytes(job.service->wire.name, job.spooled_bytes, out);
}

http::Response ObjectsDoor::fail(const Job& job, const http::RequestHead& head, ApiError error) {
  add_place(job, head, error);
  http::Response response = api::error_response(job, error, setup_.log);
  if (head.method == "HEAD") response.body.clear();
  return response;
}

asio::awaitable<http::Response> ObjectsDoor::run(http::Exchange& exchange, Job& job, signing::ClaimResult& claim) {
  job.place = parse_place(job.place.path);
  if (exchange.head().method == "OPTIONS") {
    http::Response response = co_await preflight(exchange, job);
    co_return response;
  }
  job.cors = cors_request(job, exchange.head());
  Request request{exchange, job};
  co_await authenticate(request, claim);
  if (request.claim && request.claim->presigned) request.presigned = with_query_headers(exchange.head());
  job.row = &routes_.find(job.place, request.head());
  // The row of the service's own table: metrics refer to it.
  job.operation = &setup_.service.operations[static_cast<std::size_t>(job.row - table_.operations.data())];
  if (!setup_.engine.admits(*job.operation)) throw disk_full();
  services::Erased input = services::detail::nothing();
  std::optional<ApiError> malformed;
  try {
    input = co_await read(request);
  } catch (const ApiError& error) {
    if (error.code() != "MalformedXML") throw;
    malformed = error;
  }
  if (malformed) {
    co_await require_bucket(request);
    throw *malformed;
  }
  if (job.row->prepare) {
    co_await spool(request, input.get());
  }
  http::Response response = co_await answer(request, input.get());
  // As S3 does: a bucket has the type of its list of objects.
  if (request.head().method == "HEAD" && !job.place.key) response.headers.set("Content-Type", "application/xml");
  co_return response;
}

// S3 looks for the bucket before it reads a document.
asio::awaitable<void> ObjectsDoor::require_bucket(const Request& request) {
  const Job& job = request.job;
  if (job.operation->wire.name == "CreateBucket") co_return;
  api::Handler look = [&](services::Call& call) {
    if (!services::s3::load_bucket(call.tx, job.place.bucket)) throw services::s3::no_such_bucket(job.place.bucket);
  };
  const api::Run here{job.caller, services::Access::Read, api::Place::Here};
  co_await api::read_once(setup_.engine, here, std::move(look));
}

// Accepts unsigned requests: handlers decide what anonymous callers may do.
asio::awaitable<void> ObjectsDoor::authenticate(Request& request, signing::ClaimResult& claim) {
  services::Caller& caller = request.job.caller;
  const http::RequestHead& head = request.exchange.head();
  if (claim.error == signing::AuthError::Missing) {
    caller.region = "us-east-1";
  } else if (!claim) {
    throw signing::s3_claim_error(head, claim);
  } else {
    auto found = co_await setup_.authenticator.find(claim.claim, setup_.service.signing_name);
    check_key(found.problem, claim.claim, setup_.engine.clock().now());
    request.signer = std::move(found.signer);
    verify(claim.claim, request.signer, head, request.job.place.path);
    set_key(*request.signer.key, claim.claim, caller);
    request.exchange.set_account(caller.account);
    request.claim = std::move(claim.claim);
  }
  caller.endpoint = request.endpoint();
  caller.request_id = request.job.request_id;
  caller.address = api::address_of(request.exchange.peer());
  add_condition("aws:Referer", head.headers.get("Referer"), caller);
  add_condition("aws:UserAgent", head.headers.get("User-Agent"), caller);
}

// Verifies the head, before the body is read. `path` is "/bucket/key", wherever the bucket was named.
void ObjectsDoor::verify(const signing::Claim& claim, const api::Signer& signer, const http::RequestHead& head,
                         std::string_view path) const {
  const base::Time now = setup_.engine.wall_clock().now();
  if (claim.payload_hash.empty() && !claim.presigned) throw missing_payload_hash();
  auto verified = claim.version2 ? signing::verify_version2(claim, head, path, signer.key->secret, now)
                                 : signing::verify_without_body(claim, head, *signer.signing_key, now, true);
  if (!verified) throw auth_error(verified, claim, now);
}

// Decodes the handler's input: from the head alone, where the body is spooled.
asio::awaitable<services::Erased> ObjectsDoor::read(Request& request) {
  const http::RequestHead& head = request.head();
  const Job& job = request.job;
  base::Headers headers = without_invalid_dates(without_aws_chunked(head.headers));
  if (!request.presigned) headers = with_unicode_metadata(headers);
  check_checksum_headers(headers);
  check_encryption_header(job, head);
  if (job.row->needs_digest) require_digest(headers);
  std::string bytes;
  if (job.row->body == Body::Whole) {
    RequestBody body(request.exchange, request.signed_claim(), request.signer.signing_key);
    bytes = co_await body.whole(job.service->body_limit);
    if (request.claim && request.claim->names_body_hash()) {
      const std::string computed = base::to_hex(base::sha256(bytes));
      if (computed != request.claim->payload_hash) throw payload_hash_error(request.claim->payload_hash, computed);
    }
    const bool sums = states_body_checksum(*job.operation);
    check_digests(head.headers, sums, bytes);
    check_digests(body.trailers(), sums, bytes);
  }
  if (job.row->body == Body::Form) {
    co_await read_form(request);
  }
  if (bytes.empty() && needs_document(*job.operation)) {
    throw ApiError("MissingRequestBodyError", "Request Body is empty", 400);
  }
  const wire::HttpRequest decoded{head.method, job.place.path, head.query(), headers, bytes};
  services::Erased input = api::decode(*job.service, *job.operation, job.protocol, decoded);
  if (request.form) fill_form(request.form->form(), *job.operation->wire.input, input.get());
  co_return input;
}

// A form is signed by its fields, unless the request itself is signed.
asio::awaitable<void> ObjectsDoor::read_form(Request& request) {
  const bool hashed = request.claim && request.claim->names_body_hash();
  request.form.emplace(request.exchange, hashed ? request.claim->payload_hash : "");
  co_await request.form->read_fields();
  if (request.claim) co_return;
  const base::Headers& fields = request.form->form().fields();
  auto claim = signing::parse_form_claim(fields);
  if (!claim) co_return;
  const auto found = co_await setup_.authenticator.find(*claim, setup_.service.signing_name);
  check_key(found.problem, *claim, setup_.engine.clock().now());
  const api::Signer& signer = found.signer;
  if (claim->version2) {
    signing::verify_form_version2(*claim, fields, signer.key->secret);
  } else {
    signing::verify_form(*claim, fields, *signer.signing_key);
  }
  set_key(*signer.key, *claim, request.job.caller);
  request.exchange.set_account(request.job.caller.account);
}

// Spools the bytes for the handler: the client's, or those of other objects.
asio::awaitable<void> ObjectsDoor::spool(Request& request, const void* input) {
  const services::s3::ObjectOperation& operation = *request.job.row;
  for (int attempt = 1;; ++attempt) {
    services::s3::Spool wanted;
    api::Handler prepare = [&](services::Call& plain) {
      ObjectCall call{plain};
      try {
        request.prepared = operation.prepare(call, input);
      } catch (const ApiError&) {
        decide_cors(plain, request.job);
        throw;
      }
      wanted = std::move(call.spool);
    };
    const api::Run here{request.job.caller, services::Access::Read, api::Place::Here};
    co_await api::read_once(setup_.engine, here, std::move(prepare));
    if (!wanted.source) {
      if (operation.body == Body::Whole) co_return;
      if (request.form) {
        ::spool::NextPiece next = std::bind_front(&FormBody::next, &*request.form);
        ::spool::HeldUpload held = co_await ::spool::spool_pieces(setup_.disk, std::move(next), std::move(wanted));
        request.take(std::move(held));
        co_return;
      }
      RequestBody body(request.exchange, request.signed_claim(), request.signer.signing_key);
      body.require_size();
      ::spool::HeldUpload held = co_await spool_body(setup_.disk, body, std::move(wanted), request.signed_claim());
      request.take(std::move(held));
      co_return;
    }
    auto extents = co_await ::spool::open_extents(setup_.disk, *wanted.source);
    if (extents) {
      ::spool::HeldUpload held = co_await ::spool::spool_extents(setup_.disk, std::move(*extents), std::move(wanted));
      request.held.emplace(std::move(held));  // not counted as received
      co_return;
    }
    if (attempt == kMaxAttempts) throw internal_error();
  }
}

asio::awaitable<http::Response> ObjectsDoor::answer(Request& request, const void* input) {
  Job& job = request.job;
  const services::s3::Upload* upload = request.held ? &request.held->get() : nullptr;
  for (int attempt = 1;; ++attempt) {
    Outcome outcome;
    std::shared_ptr<const void> progress;  // of committed slices
    const auto encode = [&job](const Outcome& done) {
      return wire::encode_response(job.protocol, job.service->wire, job.operation->wire, done.output.get(),
                                   job.request_id);
    };
    const bool reads = job.operation->access == services::Access::Read;
    try {
      api::Handler handler = [&](services::Call& plain) {
        // Again: the disk may have become full meanwhile.
        if (!setup_.engine.admits(*job.operation)) throw disk_full();
        ObjectCall call{plain};
        call.upload = upload;
        call.prepared = request.prepared;
        call.progress = progress;
        try {
          outcome.output = job.row->run(call, input);
        } catch (const ApiError&) {
          decide_cors(plain, job);
          throw;
        }
        decide_cors(plain, job);
        outcome.download = std::move(call.download);
        outcome.status = call.status;
        plain.wakes = std::move(call.wakes);
        plain.wait = std::move(call.wait);
        // A listing is encoded on the reader: many of them would hold up the connections of others on this thread.
        if (reads) outcome.encoded = encode(outcome);
        if (call.progress == progress) return;
        plain.tx.on_end([&progress, next = std::move(call.progress)](bool committed) {
          if (committed) progress = next;
        });
      };
      const api::Run run{job.caller, job.operation->access, place_of(job)};
      co_await api::run_handler(setup_.engine, request.exchange, run, std::move(handler));
    } catch (const store::Error&) {
      if (request.held) request.held->leave();
      throw;
    }
    if (request.held) request.held->keep();
    std::optional<::spool::OpenExtents> extents(std::in_place);
    if (outcome.download) {
      extents = co_await ::spool::open_extents(setup_.disk, std::move(*outcome.download));
    }
    if (extents) {
      wire::HttpResponse encoded = outcome.encoded ? std::move(*outcome.encoded) : encode(outcome);
      http::Response response{outcome.status.value_or(encoded.status), std::move(encoded.headers),
                              std::move(encoded.body), std::move(extents->parts), std::move(extents->opener)};
      co_return response;
    }
    if (attempt == kMaxAttempts) {
      base::log_error("an object's file is missing", {{"request", job.request_id}, {"path", job.place.path}});
      throw internal_error();
    }
  }
}

asio::awaitable<http::Response> ObjectsDoor::preflight(http::Exchange& exchange, Job& job) {
  const base::Headers& headers = exchange.head().headers;
  CorsRequest question;
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
    const std::string stated = question.method.empty() ? "null" : question.method;
    throw ApiError("BadRequest", "Invalid Access-Control-Request-Method: " + stated, 400);
  }
  std::optional<base::Headers> allowed;
  api::Engine::Work work = [&](services::Call& call) {
    if (table_.cors) allowed = table_.cors(call, question);
  };
  co_await setup_.engine.run(services::Access::Read, job.caller, std::move(work));
  if (!allowed) throw ApiError("AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.", 403);
  wire::HttpResponse empty = wire::encode_response(job.protocol, job.service->wire, {}, nullptr, job.request_id);
  http::Response response{200, std::move(empty.headers), ""};
  add_headers(*allowed, response.headers);
  co_return response;
}

void ObjectsDoor::decide_cors(services::Call& call, Job& job) const {
  if (!job.cors || !table_.cors) return;
  job.cors_headers = table_.cors(call, *job.cors);
  job.cors_decided = true;
}

asio::awaitable<void> ObjectsDoor::add_cors(Job& job, http::Response& response) {
  if (!job.cors_decided) {
    api::Engine::Work work = [&](services::Call& call) { decide_cors(call, job); };
    co_await setup_.engine.run(services::Access::Read, job.caller, std::move(work));
  }
  if (job.cors_headers) add_headers(*job.cors_headers, response.headers);
}

}  // namespace doors::objects
