// SPDX-License-Identifier: Apache-2.0
// The public protocol vectors in $STOKER_PROTOCOL_VECTORS, or in ../shared/protocol-vectors
// beside the tree. If they are absent, the tests pass and report that.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic.h"
#include "wire/operation.h"

namespace vectors {

struct Case {
  std::string file;
  std::string id;
  wire::Protocol protocol;
  std::shared_ptr<const boost::json::value> suite;  // shared, because cases point into it
  boost::json::object json;

  const boost::json::object& given() const { return json.at("given").as_object(); }
  const boost::json::object& shapes() const { return suite->as_object().at("shapes").as_object(); }
  const boost::json::object& metadata() const { return suite->as_object().at("metadata").as_object(); }
};

// All cases of "input" or "output" in the protocols that we support.
std::vector<Case> load(const std::string& side);

std::string text(const boost::json::object& from, std::string_view name, std::string_view otherwise = "");
bool names_in_json(wire::Protocol protocol);
wire::Service service_of(const Case& test);
wire::Operation operation_of(const Case& test);
// The body's bytes; CBOR's are base64 in the vectors.
std::string body_of(wire::Protocol protocol, const boost::json::object& message);

struct Count {
  int passed = 0;
  std::map<std::string, int> skipped;  // by reason

  bool skips(const Case& test, const std::map<std::string, std::string>& reasons);
  void print(const char* what) const;
};

}  // namespace vectors
