// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_ports.h"

#include <boost/json/array.hpp>
#include <charconv>
#include <optional>

#include "agent/drivers/docker_api.h"

namespace agent::drivers {
namespace {

namespace json = boost::json;

constexpr std::int32_t kMaxPort = 65'535;

std::int32_t to_port(std::string_view text) {
  std::int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port <= kMaxPort ? port : -1;
}

struct Range {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

std::optional<Range> range_of(const shapes::agent::PortMapping& mapping) {
  if (!mapping.containerPortRange) return Range{mapping.containerPort, mapping.containerPort};
  const std::string_view text = *mapping.containerPortRange;
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const Range range{to_port(text.substr(0, dash)), to_port(text.substr(dash + 1))};
  return range.first < 1 || range.last < range.first ? std::nullopt : std::optional(range);
}

json::object& object_in(json::object& in, std::string_view name) {
  json::value& value = in[name];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

void add_port(std::int32_t port, const shapes::agent::PortMapping& mapping, json::object& config, json::object& host) {
  const std::string key = std::to_string(port) + "/" + (mapping.protocol.empty() ? "tcp" : mapping.protocol);
  object_in(config, "ExposedPorts")[key] = json::object();
  json::value& bindings = object_in(host, "PortBindings")[key];
  if (!bindings.is_array()) bindings = json::array();
  const std::string wanted = mapping.hostPort == 0 ? "" : std::to_string(mapping.hostPort);
  bindings.get_array().push_back(json::object{{"HostPort", wanted}});
}

// "80/tcp": [{"HostIp": "0.0.0.0", "HostPort": "32768"}, ...]
void add_bindings(std::string_view key, const json::value& bound, bool on_host, std::vector<Binding>& bindings) {
  const std::size_t slash = key.find('/');
  const json::array* list = bound.if_array();
  if (slash == key.npos || !list) return;
  for (const json::value& one : *list) {
    Binding binding;
    binding.bind_ip = text_at(one, {"HostIp"});
    binding.container_port = to_port(key.substr(0, slash));
    binding.host_port = on_host ? binding.container_port : to_port(text_at(one, {"HostPort"}));
    binding.protocol = key.substr(slash + 1);
    if (binding.bind_ip.empty()) binding.bind_ip = "0.0.0.0";
    bindings.push_back(std::move(binding));
  }
}

}  // namespace

base::Result<Nothing> add_ports(const std::vector<shapes::agent::PortMapping>& mappings, json::object& config,
                                json::object& host) {
  for (const shapes::agent::PortMapping& mapping : mappings) {
    const auto range = range_of(mapping);
    if (!range) return base::Error{"invalid containerPortRange '" + mapping.containerPortRange.value_or("") + "'"};
    for (std::int32_t port = range->first; port <= range->last; ++port) add_port(port, mapping, config, host);
  }
  return Nothing{};
}

std::vector<Binding> bindings_of(const json::value& inspected) {
  const bool on_host = text_at(inspected, {"HostConfig", "NetworkMode"}) == "host";
  const json::value* ports =
      on_host ? find(inspected, {"HostConfig", "PortBindings"}) : find(inspected, {"NetworkSettings", "Ports"});
  std::vector<Binding> bindings;
  if (!ports || !ports->is_object()) return bindings;
  for (const auto& [key, bound] : ports->get_object()) add_bindings(key, bound, on_host, bindings);
  return bindings;
}

}  // namespace agent::drivers
