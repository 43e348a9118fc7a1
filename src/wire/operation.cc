// SPDX-License-Identifier: Apache-2.0
#include "wire/operation.h"

#include "base/utf8.h"
#include "wire/protocols.h"

namespace wire {

const ErrorSpec* Service::find_error(std::string_view code) const {
  for (const ErrorSpec& error : errors) {
    if (error.name == code) return &error;
  }
  for (const ErrorSpec& error : errors) {
    if (!error.query_code.empty() && error.query_code == code) return &error;
  }
  return nullptr;
}

int error_status(const ErrorSpec* spec, const ApiError& error) {
  if (error.status()) return error.status();
  return spec ? spec->status : 400;
}

bool is_senders_fault(const ErrorSpec* spec, const ApiError& error) {
  if (error.status()) return error.status() < 500;
  return spec ? spec->sender : true;
}

std::string_view query_code(const ErrorSpec* spec, const ApiError& error) {
  if (!spec) return error.code();
  return spec->query_code.empty() ? spec->name : spec->query_code;
}

void add_query_error(const Service& service, const ErrorSpec* spec, const ApiError& error, base::Headers& headers) {
  if (!service.query_compatible) return;
  std::string value(query_code(spec, error));
  headers.add("x-amzn-query-error", value + (is_senders_fault(spec, error) ? ";Sender" : ";Receiver"));
}

std::vector<Violation> decode_request(Protocol protocol, const Service&, const Operation& operation,
                                      const HttpRequest& request, void* input) {
  switch (protocol) {
    case Protocol::Json10:
    case Protocol::Json11: return decode_json_request(operation, request, input);
    case Protocol::Query:
    case Protocol::Ec2: return decode_query_request(protocol, operation, request, input);
    case Protocol::RestXml: return decode_rest_xml_request(operation, request, input);
    case Protocol::Cbor: return decode_cbor_request(operation, request, input);
  }
  CHECK(false) << "no such protocol";
  __builtin_unreachable();
}

HttpResponse encode_response(Protocol protocol, const Service& service, const Operation& operation, const void* output,
                             std::string_view request_id) {
  switch (protocol) {
    case Protocol::Json10:
    case Protocol::Json11: return encode_json_response(protocol, operation, output, request_id);
    case Protocol::Query: return encode_query_response(service, operation, output, request_id);
    case Protocol::Ec2: return encode_ec2_response(service, operation, output, request_id);
    case Protocol::RestXml: return encode_rest_xml_response(service, operation, output, request_id);
    case Protocol::Cbor: return encode_cbor_response(operation, output, request_id);
  }
  CHECK(false) << "no such protocol";
  __builtin_unreachable();
}

HttpResponse encode_error(Protocol protocol, const Service& service, const ApiError& thrown,
                          std::string_view request_id) {
  // Errors repeat input, which may contain invalid UTF-8.
  ApiError error(base::to_printable(thrown.code()), base::to_printable(thrown.message()), thrown.status());
  for (const auto& [name, value] : thrown.details()) error.with(name, base::to_printable(value));
  for (const auto& [name, value] : thrown.headers()) error.with_header(name, value);
  switch (protocol) {
    case Protocol::Json10:
    case Protocol::Json11: return encode_json_error(protocol, service, error, request_id);
    case Protocol::Query: return encode_query_error(service, error, request_id);
    case Protocol::Ec2: return encode_ec2_error(service, error, request_id);
    case Protocol::RestXml: return encode_rest_xml_error(service, error, request_id);
    case Protocol::Cbor: return encode_cbor_error(service, error, request_id);
  }
  CHECK(false) << "no such protocol";
  __builtin_unreachable();
}

}  // namespace wire
