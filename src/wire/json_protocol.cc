// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>

#include "wire/json.h"
#include "wire/protocols.h"

namespace wire {
namespace {

// The namespace of errors of Amazon's framework, as opposed to a service's.
constexpr std::string_view kFrameworkNamespace = "com.amazon.coral.service";

const char* content_type(Protocol protocol) {
  return protocol == Protocol::Json10 ? "application/x-amz-json-1.0" : "application/x-amz-json-1.1";
}

std::string_view text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains({name.data(), name.size()});
  if (!value || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

// "com.amazonaws.sqs#QueueDoesNotExist:http://..." -> "QueueDoesNotExist"
std::string_view bare_name(std::string_view type) {
  type = type.substr(0, type.find(':'));
  std::size_t hash = type.rfind('#');
  return hash == type.npos ? type : type.substr(hash + 1);
}

}  // namespace

std::string error_type(const Service& service, const ErrorSpec* spec, const ApiError& error) {
  std::string name(spec ? spec->name : std::string_view(error.code()));
  if (service.json_namespace.empty()) return name;
  std::string_view space = spec ? service.json_namespace : kFrameworkNamespace;
  if (spec && !spec->json_namespace.empty()) space = spec->json_namespace;
  return std::string(space) + "#" + name;
}

std::vector<Violation> decode_json_request(const Operation& operation, const HttpRequest& request, void* input) {
  static const TypeInfo kNothing;
  return read_json(operation.input ? *operation.input : kNothing, request.body, input);
}

HttpResponse encode_json_response(Protocol protocol, const Operation& operation, const void* output,
                                  std::string_view request_id) {
  HttpResponse response;
  response.headers.add("x-amzn-RequestId", std::string(request_id));
  response.headers.add("Content-Type", content_type(protocol));
  if (operation.output) {
    response.body.reserve(256);
    write_json(*operation.output, output, response.body);
  } else if (protocol == Protocol::Json10) {
    response.body = "{}";
  }
  return response;
}

HttpResponse encode_json_error(Protocol protocol, const Service& service, const ApiError& error,
                               std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response{error_status(spec, error), {}, {}};
  response.headers.add("x-amzn-RequestId", std::string(request_id));
  response.headers.add("Content-Type", content_type(protocol));
  add_query_error(service, spec, error, response.headers);
  response.body = "{\"__type\":";
  write_json_string(error_type(service, spec, error), response.body);
  if (shows_message(service, error.message())) {
    response.body += ",\"message\":";
    write_json_string(error.message(), response.body);
  }
  for (const auto& [name, value] : error.details()) {
    response.body += ',';
    write_json_string(name, response.body);
    response.body += ':';
    write_json_string(value, response.body);
  }
  response.body += '}';
  return response;
}

OutgoingRequest encode_request(Protocol protocol, const Service& service, const Operation& operation,
                               const void* input) {
  CHECK(protocol == Protocol::Json10 || protocol == Protocol::Json11) << "only JSON requests can be sent";
  OutgoingRequest request{"POST", "/", {}, {}};
  request.headers.add("Content-Type", content_type(protocol));
  request.headers.add("X-Amz-Target", std::string(service.target_prefix) + "." + std::string(operation.name));
  if (service.query_compatible) request.headers.add("x-amzn-query-mode", "true");
  if (operation.input) {
    write_json(*operation.input, input, request.body);
  } else {
    request.body = "{}";
  }
  return request;
}

void decode_response(Protocol protocol, const Service&, const Operation& operation, const HttpResponse& response,
                     void* output) {
  CHECK(protocol == Protocol::Json10 || protocol == Protocol::Json11) << "only JSON responses can be read";
  if (response.status >= 200 && response.status < 300) {
    if (operation.output) read_json(*operation.output, response.body, output);
    return;
  }
  boost::system::error_code failed;
  auto parsed = boost::json::parse(response.body, failed);
  boost::json::object body;
  if (!failed && parsed.is_object()) body = parsed.get_object();
  std::string_view type = text_of(body, "__type");
  if (type.empty()) type = text_of(body, "code");
  if (type.empty()) type = response.headers.get("x-amzn-ErrorType");
  std::string_view message = text_of(body, "message");
  if (message.empty()) message = text_of(body, "Message");
  std::string code(bare_name(type));
  if (code.empty()) code = std::to_string(response.status);
  throw ApiError(code, std::string(message), response.status);
}

}  // namespace wire
