// SPDX-License-Identifier: Apache-2.0
// The public protocol vectors' responses. Our servers would write many of them differently
// (unknown members, odd time zones), so the check has two parts: reading the vector gives
// its result, and reading what we write for that result gives the result again. The test
// also counts how often both are equal as parsed JSON, XML or CBOR.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <pugixml.hpp>
#include <sstream>

#include "cbor_tree.h"
#include "vectors.h"
#include "wire/xml.h"

namespace {

using vectors::Case;

constexpr const char* kOtherMembers = "an error whose shape has members of its own besides the message";
const std::map<std::string, std::string> kSkipped = {
    {"HttpPrefixHeadersAreNotPresent", "an empty map leaves no trace in the response"},
    {"PutAndGetInlineDocumentsInput", "free-form documents are in no shape of ours"},
    {"IgnoreQueryParamsInResponse", "no response of S3 has a member bound to the query string"},
};
const std::map<std::string, std::string> kSkippedErrors = {
    {"AwsJson10ComplexError", kOtherMembers}, {"AwsJson11ComplexError", kOtherMembers},
    {"ComplexError", kOtherMembers},          {"Ec2ComplexError", kOtherMembers},
    {"QueryComplexError", kOtherMembers},     {"RpcV2CborComplexError", kOtherMembers},
};

// <a x="1">t<b/></a> -> a(x=1){t b{}}, with attributes sorted and no namespaces' prefixes resolved.
std::string tree(pugi::xml_node node) {
  std::vector<std::string> attributes;
  for (pugi::xml_attribute attribute : node.attributes()) {
    attributes.push_back(std::string(attribute.name()) + "=" + attribute.value());
  }
  std::sort(attributes.begin(), attributes.end());
  std::vector<std::string> children;
  std::string text;
  for (pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_element) children.push_back(tree(child));
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
  }
  std::stable_sort(children.begin(), children.end());  // members may be in any order
  std::string out = std::string(node.name()) + "(";
  for (const std::string& attribute : attributes) out += attribute + " ";
  out += "){" + (children.empty() ? text : "");
  for (const std::string& child : children) out += child;
  return out + "}";
}

std::string normal_xml(const std::string& text) {
  if (text.empty()) return "";
  pugi::xml_document document;
  if (!document.load_string(text.c_str(), pugi::parse_default | pugi::parse_ws_pcdata_single)) return text;
  pugi::xml_node root = document.document_element();
  for (const char* ours : {"ResponseMetadata", "requestId", "RequestId"}) root.remove_child(ours);
  root.remove_attribute("xmlns");
  return tree(root);
}

std::string normal_json(const boost::json::value& json) {
  if (json.is_object()) {
    std::map<std::string, std::string> members;
    for (const auto& [key, value] : json.get_object()) {
      if (!value.is_null()) members[std::string(key)] = normal_json(value);
    }
    std::string out = "{";
    for (const auto& [key, value] : members) out += key + ":" + value + " ";
    return out + "}";
  }
  if (json.is_array()) {
    std::string out = "[";
    for (const auto& value : json.get_array()) out += normal_json(value) + " ";
    return out + "]";
  }
  if (json.is_number()) return std::to_string(json.to_number<double>());
  return boost::json::serialize(json);
}

std::string normal(wire::Protocol protocol, const std::string& body) {
  switch (protocol) {
    case wire::Protocol::Json10:
    case wire::Protocol::Json11: return body.empty() ? "{}" : normal_json(boost::json::parse(body));
    case wire::Protocol::Cbor: return body.empty() ? "{}" : cbor_tree(body);
    default: return normal_xml(body);
  }
}

// The <OperationResult> of a query response, as a separate document.
std::string result_element(const Case& test, const std::string& body) {
  pugi::xml_document document;
  document.load_string(body.c_str(), pugi::parse_default | pugi::parse_ws_pcdata_single);
  pugi::xml_node result = document.document_element().child((vectors::text(test.given(), "name") + "Result").c_str());
  std::ostringstream out;
  result.print(out, "", pugi::format_raw);
  return out.str();
}

// Reads a response like a client: the tables are the same in both directions.
std::string read(const Case& test, dynamic::Model& model, const wire::HttpResponse& response) {
  const auto* output = test.given().if_contains("output");
  if (!output) return "";
  wire::Operation operation = vectors::operation_of(test);
  operation.input = &model.type(output->as_object().at("shape").as_string().c_str());
  dynamic::Value value = dynamic::empty(*operation.input);
  if (test.protocol == wire::Protocol::Query || test.protocol == wire::Protocol::Ec2) {
    std::string body = test.protocol == wire::Protocol::Query ? result_element(test, response.body) : response.body;
    if (!body.empty()) wire::read_xml(*operation.input, body, &value);
  } else {
    wire::decode_request(test.protocol, {}, operation, {"POST", "/", "", response.headers, response.body}, &value);
    for (const wire::Field& field : operation.input->fields) {
      if (field.traits->in != wire::In::StatusCode) continue;
      *static_cast<std::int32_t*>(field.make(field, &value)) = response.status;
    }
  }
  return model.to_text(*operation.input, value);
}

wire::HttpResponse response_of(const Case& test) {
  const auto& wanted = test.json.at("response").as_object();
  wire::HttpResponse response{wanted.at("status_code").to_number<int>(), {}, vectors::body_of(test.protocol, wanted)};
  if (const auto* lines = wanted.if_contains("headers")) {
    for (const auto& [name, value] : lines->as_object()) {
      response.headers.add(std::string(name), value.as_string().c_str());
    }
  }
  return response;
}

wire::HttpResponse encode(const Case& test, dynamic::Model& model) {
  wire::Operation operation = vectors::operation_of(test);
  wire::Service service = vectors::service_of(test);
  if (test.json.contains("errorCode")) {
    std::string code = vectors::text(test.json, "errorCode");
    std::string shape = test.given().at("errors").at(0).at("shape").as_string().c_str();
    wire::ErrorSpec spec{.name = shape, .query_code = code};
    spec.status = test.json.at("response").at("status_code").to_number<int>();
    service.errors = {&spec, 1};
    wire::ApiError error(shape, vectors::text(test.json, "errorMessage"));
    return wire::encode_error(test.protocol, service, error, "foo-id");
  }
  dynamic::Value value;
  if (const auto* output = test.given().if_contains("output")) {
    operation.output = &model.type(output->as_object().at("shape").as_string().c_str());
    value = model.from_json(*operation.output, test.json.at("result"));
  }
  return wire::encode_response(test.protocol, service, operation, &value, "foo-id");
}

// For tests/wire/check_answers.py, which makes botocore read our responses.
void dump(const Case& test, const wire::HttpResponse& response) {
  const char* folder = std::getenv("STOKER_ANSWERS_OUT");
  if (!folder) return;
  boost::json::object out{{"file", test.file}, {"id", test.id}, {"status", response.status}};
  boost::json::object headers;
  for (const auto& [name, value] : response.headers) headers[name] = value;
  out["headers"] = headers;
  out["body"] = base::to_base64(response.body);
  std::ofstream(std::string(folder) + "/answers.jsonl", std::ios::app) << boost::json::serialize(out) << "\n";
}

TEST(ProtocolVectors, AClientReadsBackEncodedResults) {
  vectors::Count count;
  int alike = 0;
  for (const Case& test : vectors::load("output")) {
    if (test.json.contains("errorCode") || count.skips(test, kSkipped)) continue;
    SCOPED_TRACE(test.file + " " + test.id);
    dynamic::Model model(test.shapes(), vectors::names_in_json(test.protocol));
    wire::HttpResponse response = encode(test, model);
    wire::HttpResponse theirs = response_of(test);
    dump(test, response);
    std::string expected;
    if (const auto* output = test.given().if_contains("output")) {
      const wire::TypeInfo& type = model.type(output->as_object().at("shape").as_string().c_str());
      expected = model.to_text(type, model.from_json(type, test.json.at("result")));
    }
    std::string from_theirs = read(test, model, theirs);
    std::string from_ours = read(test, model, response);
    EXPECT_EQ(from_theirs, expected) << theirs.body;
    EXPECT_EQ(from_ours, expected) << response.body;
    EXPECT_EQ(response.status, theirs.status);
    count.passed += from_theirs == expected && from_ours == expected && response.status == theirs.status;
    alike += normal(test.protocol, response.body) == normal(test.protocol, theirs.body);
  }
  count.print("responses");
  std::cout << "  " << alike << " of them alike as parsed bodies too\n";
}

// The error's code and message, as a client reads them.
std::pair<std::string, std::string> read_error(const Case& test, const wire::HttpResponse& response) {
  if (test.protocol == wire::Protocol::Json10 || test.protocol == wire::Protocol::Json11) {
    try {
      wire::decode_response(test.protocol, {}, {}, response, nullptr);
    } catch (const wire::ApiError& error) {
      return {error.code(), error.message()};
    }
  }
  if (test.protocol == wire::Protocol::Cbor) {
    std::string tree = cbor_tree(response.body);
    auto after = [&](const std::string& key) {
      std::size_t at = tree.find(key);
      if (at == tree.npos) return std::string();
      at += key.size();
      return tree.substr(at, tree.find(' ', at) - at);
    };
    std::string type = after("__type:");
    std::string message = after("essage:");
    return {type.substr(type.rfind('#') + 1), message};
  }
  pugi::xml_document document;
  document.load_string(response.body.c_str());
  auto find = [&](const char* name) {
    auto named = [&](pugi::xml_node node) { return node.name() == std::string_view(name); };
    return std::string(document.find_node(named).child_value());
  };
  return {find("Code"), find("Message")};
}

TEST(ProtocolVectors, AClientReadsBackEncodedErrors) {
  vectors::Count count;
  for (const Case& test : vectors::load("output")) {
    if (!test.json.contains("errorCode") || count.skips(test, kSkippedErrors)) continue;
    SCOPED_TRACE(test.file + " " + test.id);
    dynamic::Model model(test.shapes(), vectors::names_in_json(test.protocol));
    wire::HttpResponse ours = encode(test, model);
    wire::HttpResponse theirs = response_of(test);
    dump(test, ours);
    auto got = read_error(test, ours);
    auto expected = read_error(test, theirs);
    EXPECT_EQ(got, expected) << ours.body << "\n" << theirs.body;
    EXPECT_EQ(ours.status, theirs.status);
    if (theirs.headers.find("x-amzn-query-error")) {
      EXPECT_EQ(ours.headers.get("x-amzn-query-error"), theirs.headers.get("x-amzn-query-error"));
    }
    count.passed += got == expected && ours.status == theirs.status;
  }
  count.print("errors");
}

}  // namespace
