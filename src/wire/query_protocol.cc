// SPDX-License-Identifier: Apache-2.0
#include "wire/protocols.h"
#include "wire/query.h"
#include "wire/xml.h"

namespace wire {
namespace {

HttpResponse start_query_response(int status, std::string_view content_type, std::string_view request_id) {
  HttpResponse response{status, {}, {}};
  response.headers.add("x-amzn-RequestId", std::string(request_id));
  response.headers.add("Content-Type", std::string(content_type));
  response.body.reserve(512);
  return response;
}

void open_envelope(std::string_view name, std::string_view suffix, std::string_view xmlns, std::string& out) {
  out += '<';
  out += name;
  out += suffix;
  if (!xmlns.empty()) {
    out += " xmlns=\"";
    write_xml_text(xmlns, out);
    out += '"';
  }
  out += '>';
}

void close_envelope(std::string_view name, std::string_view suffix, std::string& out) {
  out += "</";
  out += name;
  out += suffix;
  out += '>';
}

}  // namespace

std::vector<Violation> decode_query_request(Protocol protocol, const Operation& operation, const HttpRequest& request,
                                            void* input) {
  QueryParameters parameters;
  parameters.add(request.query);
  parameters.add(request.body);
  if (!operation.input) return {};
  parameters.sort();
  QueryDialect dialect = protocol == Protocol::Ec2 ? QueryDialect::Ec2 : QueryDialect::Query;
  return read_query(*operation.input, dialect, parameters, input);
}

HttpResponse encode_query_response(const Service& service, const Operation& operation, const void* output,
                                   std::string_view request_id) {
  HttpResponse response = start_query_response(200, "text/xml", request_id);
  std::string& out = response.body;
  open_envelope(operation.name, "Response", service.xml_namespace, out);
  if (operation.output) {
    open_envelope(operation.name, "Result", "", out);
    const std::size_t opened = out.size();
    write_xml_members(*operation.output, output, XmlTimes::MillisIfAny, out);
    if (out.size() == opened) {
      out.insert(opened - 1, 1, '/');  // "<ReceiveMessageResult/>", as Amazon writes it
    } else {
      close_envelope(operation.name, "Result", out);
    }
  }
  out += "<ResponseMetadata>";
  write_xml_element("RequestId", request_id, out);
  out += "</ResponseMetadata>";
  close_envelope(operation.name, "Response", out);
  return response;
}

HttpResponse encode_query_error(const Service& service, const ApiError& error, std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response = start_query_response(error_status(spec, error), "text/xml", request_id);
  std::string& out = response.body;
  open_envelope("ErrorResponse", "", service.xml_namespace, out);
  out += "<Error>";
  write_xml_element("Type", is_senders_fault(spec, error) ? "Sender" : "Receiver", out);
  write_xml_element("Code", query_code(spec, error), out);
  const std::string_view message = spec && !spec->query_message.empty() ? spec->query_message : error.message();
  if (shows_message(service, message)) write_xml_element("Message", message, out);
  for (const auto& [name, value] : error.details()) write_xml_element(name, value, out);
  // Recorded: SQS has an empty detail, CloudWatch has none.
  out += service.name == "sqs" ? "<Detail/></Error>" : "</Error>";
  write_xml_element("RequestId", request_id, out);
  out += "</ErrorResponse>";
  return response;
}

HttpResponse encode_ec2_response(const Service& service, const Operation& operation, const void* output,
                                 std::string_view request_id) {
  HttpResponse response = start_query_response(200, "text/xml;charset=UTF-8", request_id);
  std::string& out = response.body;
  out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  open_envelope(operation.name, "Response", service.xml_namespace, out);
  write_xml_element("requestId", request_id, out);
  if (operation.output) {
    write_xml_members(*operation.output, output, XmlTimes::AlwaysMillis, out);
  } else {
    out += "<return>true</return>";  // EC2's response of an operation without output
  }
  close_envelope(operation.name, "Response", out);
  return response;
}

HttpResponse encode_ec2_error(const Service& service, const ApiError& error, std::string_view request_id) {
  const ErrorSpec* spec = service.find_error(error.code());
  HttpResponse response = start_query_response(error_status(spec, error), "text/xml;charset=UTF-8", request_id);
  std::string& out = response.body;
  out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error>";
  write_xml_element("Code", query_code(spec, error), out);
  write_xml_element("Message", spec && !spec->query_message.empty() ? spec->query_message : error.message(), out);
  for (const auto& [name, value] : error.details()) write_xml_element(name, value, out);
  out += "</Error></Errors>";
  write_xml_element("RequestID", request_id, out);
  out += "</Response>";
  return response;
}

}  // namespace wire
