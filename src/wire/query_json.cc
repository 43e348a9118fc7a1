// SPDX-License-Identifier: Apache-2.0
#include "wire/query_json.h"

#include "wire/json.h"
#include "wire/protocols.h"

namespace wire {
namespace {

void write_plain_value(const TypeInfo& type, const void* value, std::string& out);

void write_plain_list(const TypeInfo& type, const void* value, std::string& out) {
  out += '[';
  for (std::size_t i = 0, count = type.size(type, value); i < count; ++i) {
    if (i > 0) out += ',';
    write_plain_value(*type.element, type.at(type, value, i), out);
  }
  out += ']';
}

// [{"Name":...,"Value":...}]
void write_plain_map(const TypeInfo& type, const void* value, std::string& out) {
  out += '[';
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    out += out.back() == '[' ? R"({"Name":)" : R"(,{"Name":)";
    write_json_string(key, out);
    out += R"(,"Value":)";
    write_plain_value(*type.element, element, out);
    out += '}';
  });
  out += ']';
}

std::string member_name(const Field& field) {
  std::string name(field.name);
  const bool lower = field.type->kind == Kind::List && !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  if (lower) name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

void write_plain_struct(const TypeInfo& type, const void* value, std::string& out) {
  out += '{';
  bool first = true;
  for (const Field& field : type.fields) {
    const void* member = field.get(field, value);
    if (!member) continue;
    if (!first) out += ',';
    first = false;
    write_json_string(member_name(field), out);
    out += ':';
    write_plain_value(*field.type, member, out);
  }
  out += '}';
}

void write_plain_value(const TypeInfo& type, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::List: return write_plain_list(type, value, out);
    case Kind::Map: return write_plain_map(type, value, out);
    case Kind::Struct: return write_plain_struct(type, value, out);
    default: return write_json(type, value, out);
  }
}

HttpResponse start_json_answer(int status, std::string_view request_id) {
  HttpResponse response{status, {}, {}};
  response.headers.add("x-amzn-RequestId", std::string(request_id));
  response.headers.add("Content-Type", "application/json");
  return response;
}

}  // namespace

HttpResponse encode_query_json_response(const Operation& operation, const void* output, std::string_view request_id) {
  HttpResponse response = start_json_answer(200, request_id);
  std::string& out = response.body;
  const std::string name(operation.name);
  out = "{\"" + name + "Response\":{";
  if (operation.output) {
    out += '"' + name + "Result\":";
    write_plain_struct(*operation.output, output, out);
    out += ',';
  }
  out += R"("ResponseMetadata":{"RequestId":)";
  write_json_string(request_id, out);
  out += "}}}";
  return response;
}

HttpResponse encode_query_json_error(const Service& service, const ApiError& error, std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response = start_json_answer(error_status(spec, error), request_id);
  std::string& out = response.body;
  out = R"({"Error":{"Code":)";
  write_json_string(query_code(spec, error), out);
  out += R"(,"Detail":null,"Message":)";
  write_json_string(spec && !spec->query_message.empty() ? spec->query_message : error.message(), out);
  out += is_senders_fault(spec, error) ? R"(,"Type":"Sender"},"RequestId":)" : R"(,"Type":"Receiver"},"RequestId":)";
  write_json_string(request_id, out);
  out += '}';
  return response;
}

}  // namespace wire
