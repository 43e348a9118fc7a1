// SPDX-License-Identifier: Apache-2.0
#include "wire/cbor.h"
#include "wire/protocols.h"

namespace wire {
namespace {

HttpResponse start_cbor_response(int status, std::string_view request_id) {
  HttpResponse response{status, {}, {}};
  response.headers.add("x-amzn-RequestId", std::string(request_id));
  response.headers.add("smithy-protocol", "rpc-v2-cbor");
  return response;
}

}  // namespace

std::vector<Violation> decode_cbor_request(const Operation& operation, const HttpRequest& request, void* input) {
  if (!operation.input) return {};
  return read_cbor(*operation.input, request.body, input);
}

HttpResponse encode_cbor_response(const Operation& operation, const void* output, std::string_view request_id) {
  HttpResponse response = start_cbor_response(200, request_id);
  // An operation without output has neither a body nor a Content-Type.
  if (!operation.output) return response;
  response.headers.add("Content-Type", "application/cbor");
  write_cbor(*operation.output, output, response.body);
  return response;
}

HttpResponse encode_cbor_error(const Service& service, const ApiError& error, std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response = start_cbor_response(error_status(spec, error), request_id);
  response.headers.add("Content-Type", "application/cbor");
  add_query_error(service, spec, error, response.headers);
  std::string& out = response.body;
  write_cbor_map_head((error.message().empty() ? 1 : 2) + error.details().size(), out);
  write_cbor_text("__type", out);
  write_cbor_text(error_type(service, spec, error), out);
  if (!error.message().empty()) {
    write_cbor_text("message", out);
    write_cbor_text(error.message(), out);
  }
  for (const auto& [name, value] : error.details()) {
    write_cbor_text(name, out);
    write_cbor_text(value, out);
  }
  return response;
}

}  // namespace wire
