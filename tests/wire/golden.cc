// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <fstream>
#include <sstream>

#include "base/check.h"

namespace golden {

std::string load_file(const std::string& name) {
  std::ifstream in(std::string(STOKER_SOURCE_DIR) + "/tests/wire/golden/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

Request load(const std::string& client, const std::string& name) {
  std::string bytes = load_file(client + "/" + name + ".http");
  CHECK(!bytes.empty()) << "no golden request " << client << "/" << name;
  Request request;
  std::size_t end = bytes.find("\r\n\r\n");
  request.body = bytes.substr(end + 4);
  std::istringstream head(bytes.substr(0, end));
  std::string target, line;
  head >> request.method >> target >> line;
  std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  std::getline(head, line);
  while (std::getline(head, line)) {
    if (line.ends_with('\r')) line.pop_back();
    std::size_t colon = line.find(':');
    request.headers.add(line.substr(0, colon), line.substr(line.find_first_not_of(' ', colon + 1)));
  }
  return request;
}

wire::Protocol protocol_of(const Request& request) {
  std::string_view type = request.headers.get("Content-Type");
  if (request.headers.get("smithy-protocol") == "rpc-v2-cbor") return wire::Protocol::Cbor;
  if (type.starts_with("application/x-amz-json-1.0")) return wire::Protocol::Json10;
  if (type.starts_with("application/x-amz-json-1.1")) return wire::Protocol::Json11;
  if (type.starts_with("application/x-www-form-urlencoded")) return wire::Protocol::Query;
  return wire::Protocol::RestXml;
}

}  // namespace golden
