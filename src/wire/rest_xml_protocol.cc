// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "wire/http_binding.h"
#include "wire/place.h"
#include "wire/protocols.h"
#include "wire/text.h"
#include "wire/xml.h"

namespace wire {
namespace {

constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string host_id(std::string_view request_id) { return base::to_base64(base::sha256(request_id)); }

HttpResponse start(int status, std::string_view request_id) {
  HttpResponse response{status, {}, {}};
  response.headers.add("x-amz-request-id", std::string(request_id));
  response.headers.add("x-amz-id-2", host_id(request_id));
  return response;
}

bool has_body_members(const TypeInfo& type) {
  for (const Field& field : type.fields) {
    if (field.traits->in == In::Body) return true;
  }
  return false;
}

// The root element of a payload.
std::string_view root_name(const Field& payload) {
  if (!payload.traits->xml.empty()) return payload.traits->xml;
  const TypeInfo& type = *payload.type;
  return type.structure.xml.empty() ? type.name : type.structure.xml;
}

// The member that is the whole body.
std::vector<Violation> read_payload(const Field& payload, std::string_view body, void* input) {
  void* value = payload.make(payload, input);
  switch (payload.type->kind) {
    case Kind::Blob: static_cast<base::Blob*>(value)->bytes = body; return {};
    case Kind::String:
      if (!base::is_utf8(body)) throw ApiError("InvalidRequest", "The body is not UTF-8.", 400);
      *static_cast<std::string*>(value) = body;
      return {};
    default: return read_xml(*payload.type, body, value, root_name(payload));
  }
}

void write_payload(const Service& service, const Field& payload, const void* value, HttpResponse& response) {
  switch (payload.type->kind) {
    case Kind::Blob: response.body = static_cast<const base::Blob*>(value)->bytes; return;
    case Kind::String: response.body = *static_cast<const std::string*>(value); return;
    default: break;
  }
  std::string_view xmlns = payload.traits->xmlns.empty() ? service.xml_namespace : payload.traits->xmlns;
  response.headers.add("Content-Type", "application/xml");
  response.body = kProlog;
  write_xml_root({root_name(payload), xmlns}, *payload.type, value, response.body);
}

}  // namespace

std::vector<Violation> decode_rest_xml_request(const Operation& operation, const HttpRequest& request, void* input) {
  if (!operation.input) return {};
  const TypeInfo& type = *operation.input;
  std::uint64_t seen = type.has_bindings ? read_bindings(operation, request, input) : 0;
  std::vector<Violation> missing;
  if (type.payload) {
    if (!request.body.empty()) {
      missing = read_payload(*type.payload, request.body, input);
      seen |= type.payload->required_bit;
    }
  } else if (has_body_members(type)) {
    if (!request.body.empty()) {
      missing = read_xml(type, request.body, input);
      for (const Field& field : type.fields) {
        if (field.traits->in == In::Body) seen |= field.required_bit;  // read_xml reported these
      }
    }
  }
  if (type.required_bits & ~seen) note_missing(type, seen, Place{}, missing);
  return missing;
}

HttpResponse encode_rest_xml_response(const Service& service, const Operation& operation, const void* output,
                                      std::string_view request_id) {
  HttpResponse response = start(operation.http.status, request_id);
  if (!operation.output) return response;
  const TypeInfo& type = *operation.output;
  if (type.has_bindings) write_bindings(type, output, response);
  if (type.payload) {
    const void* value = type.payload->get(*type.payload, output);
    if (value) write_payload(service, *type.payload, value, response);
  } else if (has_body_members(type)) {
    response.headers.add("Content-Type", "application/xml");
    response.body = kProlog;
    std::string_view name = type.structure.xml.empty() ? type.name : type.structure.xml;
    write_xml_root({name, service.xml_namespace}, type, output, response.body);
  }
  return response;
}

HttpResponse encode_rest_xml_error(const Service& service, const ApiError& error, std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response = start(error_status(spec, error), request_id);
  for (const auto& [name, value] : error.headers()) response.headers.add(name, value);
  if (response.status == 304) return response;  // a 304 has no body
  response.headers.add("Content-Type", "application/xml");
  std::string& out = response.body;
  out = kProlog;
  out += "<Error>";
  write_xml_element("Code", query_code(spec, error), out);
  write_xml_element("Message", error.message(), out);
  for (const auto& [name, value] : error.details()) write_xml_element(name, value, out);
  write_xml_element("RequestId", request_id, out);
  write_xml_element("HostId", host_id(request_id), out);
  out += "</Error>";
  return response;
}

}  // namespace wire
