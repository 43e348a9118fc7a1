// SPDX-License-Identifier: Apache-2.0
#include "api/identify.h"

#include <algorithm>

#include "base/bytes.h"

namespace api {
namespace {

// "/service/GraniteServiceVersion20100801/operation/PutMetricData"
struct RpcPath {
  std::string_view service, operation;
};

std::optional<RpcPath> rpc_path(std::string_view path) {
  constexpr std::string_view kService = "/service/", kOperation = "/operation/";
  if (!path.starts_with(kService)) return std::nullopt;
  path.remove_prefix(kService.size());
  std::size_t middle = path.find(kOperation);
  if (middle == path.npos) return std::nullopt;
  return RpcPath{path.substr(0, middle), path.substr(middle + kOperation.size())};
}

std::string_view target_of(const http::RequestHead& head) { return head.headers.get("X-Amz-Target"); }

std::string_view target_prefix(const http::RequestHead& head) {
  std::string_view target = target_of(head);
  return target.substr(0, std::min(target.find('.'), target.size()));
}

}  // namespace

wire::Protocol guess_protocol(const http::RequestHead& head) {
  if (head.headers.get("smithy-protocol") == "rpc-v2-cbor") return wire::Protocol::Cbor;
  std::string_view type = head.headers.get("Content-Type");
  if (type.starts_with("application/x-amz-json-1.0")) return wire::Protocol::Json10;
  if (type.starts_with("application/x-amz-json") || !target_of(head).empty()) return wire::Protocol::Json11;
  return wire::Protocol::Query;
}

wire::Protocol protocol_of(const services::Service& service, wire::Protocol guessed) {
  const auto speaks = [&](wire::Protocol protocol) {
    return std::find(service.protocols.begin(), service.protocols.end(), protocol) != service.protocols.end();
  };
  return guessed == wire::Protocol::Query && speaks(wire::Protocol::Ec2) ? wire::Protocol::Ec2 : guessed;
}

std::string_view addressed_service(const http::RequestHead& head) {
  if (auto path = rpc_path(head.path())) return path->service;
  return target_prefix(head);
}

std::string operation_name(wire::Protocol protocol, const http::RequestHead& head, std::string_view body) {
  switch (protocol) {
    case wire::Protocol::Cbor: {
      auto path = rpc_path(head.path());
      return path ? std::string(path->operation) : std::string();
    }
    case wire::Protocol::Json10:
    case wire::Protocol::Json11: {
      std::string_view target = target_of(head);
      std::size_t dot = target.find('.');
      return dot == target.npos ? std::string() : std::string(target.substr(dot + 1));
    }
    default: {
      auto action = form_field(body, "Action");
      if (!action) action = form_field(head.query(), "Action");
      return action.value_or("");
    }
  }
}

const services::Operation* find_operation(const services::Service& service, wire::Protocol protocol,
                                          std::string_view name) {
  const auto& spoken = service.protocols;
  if (std::find(spoken.begin(), spoken.end(), protocol) == spoken.end()) return nullptr;
  auto found = std::find_if(service.operations.begin(), service.operations.end(),
                            [&](const services::Operation& operation) { return operation.wire.name == name; });
  return found == service.operations.end() ? nullptr : &*found;
}

std::optional<std::string> form_field(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    std::string_view pair = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(pair.size() + 1, form.size()));
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=') {
      return base::percent_decode(pair.substr(name.size() + 1), true);
    }
  }
  return std::nullopt;
}

}  // namespace api
