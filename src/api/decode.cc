// SPDX-License-Identifier: Apache-2.0
#include "api/decode.h"

#include <algorithm>

namespace api {
namespace {

// Adds what is wrong beside missing members. A missing member has its default value, whose violations are not the
// client's.
void add_violations(std::vector<wire::Violation>& violations, std::vector<wire::Violation> more) {
  const auto missing = violations;
  const auto is_of_missing = [&](const wire::Violation& one) {
    return std::any_of(missing.begin(), missing.end(), [&](const wire::Violation& absent) {
      return one.path == absent.path || one.path.starts_with(absent.path + ".");
    });
  };
  std::erase_if(more, is_of_missing);
  violations.insert(violations.end(), more.begin(), more.end());
}

}  // namespace

std::string endpoint_of(const http::Exchange& exchange) {
  std::string_view host = exchange.head().headers.get("Host");
  return (exchange.secure() ? "https://" : "http://") + std::string(host.empty() ? "localhost" : host);
}

std::string address_of(const std::string& peer) {
  if (peer == "unix") return "127.0.0.1";
  std::string_view address = std::string_view(peer).substr(0, peer.rfind(':'));
  if (address.starts_with('[')) address = address.substr(1, address.find(']') - 1);
  return std::string(address);
}

services::Erased decode(const services::Service& service, const services::Operation& operation,
                        wire::Protocol protocol, const wire::HttpRequest& request) {
  services::Erased input = operation.make_input();
  auto violations = wire::decode_request(protocol, service.wire, operation.wire, request, input.get());
  add_violations(violations, wire::validate(*operation.wire.input, input.get()));
  if (!violations.empty()) {
    if (auto error = service.violation_error(violations)) throw *error;
  }
  return input;
}

}  // namespace api
