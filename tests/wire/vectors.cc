// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/bytes.h"
#include "base/check.h"

namespace vectors {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  const char* given = std::getenv("STOKER_PROTOCOL_VECTORS");
  return given ? fs::path(given) : fs::path(STOKER_SOURCE_DIR) / "../shared/protocol-vectors";
}

wire::Protocol protocol_of(const boost::json::object& metadata) {
  std::string name = text(metadata, "protocol");
  if (name == "query") return wire::Protocol::Query;
  if (name == "ec2") return wire::Protocol::Ec2;
  if (name == "rest-xml") return wire::Protocol::RestXml;
  if (name == "smithy-rpc-v2-cbor") return wire::Protocol::Cbor;
  CHECK(name == "json") << name;
  return text(metadata, "jsonVersion") == "1.0" ? wire::Protocol::Json10 : wire::Protocol::Json11;
}

}  // namespace

std::string text(const boost::json::object& from, std::string_view name, std::string_view otherwise) {
  const auto* found = from.if_contains({name.data(), name.size()});
  if (!found || !found->is_string()) return std::string(otherwise);
  return found->as_string().c_str();
}

std::vector<Case> load(const std::string& side) {
  std::vector<Case> cases;
  if (!fs::exists(folder() / side)) {
    std::cout << "no protocol vectors at " << folder() << ": nothing to check\n";
    return cases;
  }
  for (const auto& entry : fs::directory_iterator(folder() / side)) {
    std::string file = entry.path().filename();
    if (file == "rest-json.json") continue;  // none of our services uses it
    std::ifstream in(entry.path());
    std::stringstream bytes;
    bytes << in.rdbuf();
    boost::json::value suites = boost::json::parse(bytes.str());
    for (auto& json : suites.as_array()) {
      auto suite = std::make_shared<const boost::json::value>(std::move(json));
      const auto& metadata = suite->as_object().at("metadata").as_object();
      for (const auto& test : suite->as_object().at("cases").as_array()) {
        cases.push_back(
            {side + "/" + file, test.at("id").as_string().c_str(), protocol_of(metadata), suite, test.as_object()});
      }
    }
  }
  return cases;
}

bool names_in_json(wire::Protocol protocol) {
  return protocol == wire::Protocol::Json10 || protocol == wire::Protocol::Json11 || protocol == wire::Protocol::Cbor;
}

wire::Service service_of(const Case& test) {
  wire::Service service{.name = "vectors", .xml_namespace = "https://example.com/"};
  service.query_compatible = test.metadata().contains("awsQueryCompatible");
  return service;
}

wire::Operation operation_of(const Case& test) {
  wire::Operation operation;
  const auto& given = test.given();
  auto view = [](const boost::json::value& json) {
    return std::string_view(json.as_string().data(), json.as_string().size());
  };
  operation.name = view(given.at("name"));
  const auto& http = given.at("http").as_object();
  operation.http.method = view(http.at("method"));
  operation.http.uri = view(http.at("requestUri"));
  if (const auto* status = http.if_contains("responseCode")) operation.http.status = status->to_number<int>();
  return operation;
}

std::string body_of(wire::Protocol protocol, const boost::json::object& message) {
  std::string body = text(message, "body");
  if (protocol != wire::Protocol::Cbor) return body;
  auto bytes = base::from_base64(body);
  CHECK(bytes) << "the vector's body is not base64";
  return *bytes;
}

bool Count::skips(const Case& test, const std::map<std::string, std::string>& reasons) {
  auto found = reasons.find(test.id);
  if (found == reasons.end()) return false;
  ++skipped[found->second];
  return true;
}

void Count::print(const char* what) const {
  std::cout << "protocol vectors, " << what << ": " << passed << " passed\n";
  for (const auto& [reason, count] : skipped) std::cout << "  " << count << " skipped: " << reason << "\n";
}

}  // namespace vectors
