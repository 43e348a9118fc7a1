// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::int32_t kMostPort = 65535;
constexpr std::size_t kMaxPortMappings = 100;
constexpr std::size_t kMaxPortName = 64;

struct PortRange {
  std::int32_t first, last;
};

std::optional<PortRange> parse_range(std::string_view text) {
  PortRange range{0, 0};
  const char* end = text.data() + text.size();
  auto [dash, error] = std::from_chars(text.data(), end, range.first);
  if (error != std::errc() || dash == end || *dash != '-') return std::nullopt;
  auto [after, error2] = std::from_chars(dash + 1, end, range.last);
  if (error2 != std::errc() || after != end) return std::nullopt;
  if (range.first < 1 || range.last > kMostPort || range.first >= range.last) return std::nullopt;
  return range;
}

std::string upper(std::string_view protocol) { return protocol == "udp" ? "UDP" : "TCP"; }

// The ports of a task, container by container.
class Ports {
 public:
  explicit Ports(std::string mode) : mode_(std::move(mode)) {}

  void add(const ContainerDefinition& container) {
    if (!container.portMappings || container.portMappings->empty()) return;
    if (mode_ == "none") throw client_error("Port mappings are not supported when networkMode=none.");
    if (container.portMappings->size() > kMaxPortMappings) throw invalid_setting("portMappings", *container.name);
    container_ports_.clear();
    for (const PortMapping& mapping : *container.portMappings) {
      check_name(mapping, *container.name);
      if (mapping.containerPortRange) {
        add_range(mapping, *container.name);
      } else {
        add_port(mapping, *container.name);
      }
    }
  }

 private:
  void add_port(const PortMapping& mapping, const std::string& container) {
    const std::int32_t port = mapping.containerPort.value_or(0);
    if (port < 1 || port > kMostPort) throw invalid_setting("containerPort", container);
    if (mapping.hostPort && (*mapping.hostPort < 0 || *mapping.hostPort > kMostPort)) {
      throw invalid_setting("hostPort", container);
    }
    if (mode_ != "bridge" && mapping.hostPort && *mapping.hostPort != port) {
      throw client_error(
          fmt::format("When networkMode={}, the host ports and container ports in port mappings must match.", mode_));
    }
    const std::string protocol = mapping.protocol.value_or("tcp");
    const std::int32_t host = mode_ == "bridge" ? mapping.hostPort.value_or(0) : port;
    if (host > 0 && !host_ports_.emplace(protocol, host).second) {
      throw client_error(fmt::format("{} host port '{}' is mapped multiple times in task.", upper(protocol), host));
    }
    take(protocol, {port, port});
  }

  void add_range(const PortMapping& mapping, const std::string& container) {
    if (mapping.containerPort || mapping.hostPort) {
      throw client_error(fmt::format(
          "Invalid port mapping for container '{}': cannot specify both single port and port range.", container));
    }
    if (mode_ == "host") throw client_error("containerPortRange is not supported when networkMode=host.");
    const auto range = parse_range(*mapping.containerPortRange);
    if (!range) throw invalid_setting("containerPortRange", container);
    take(mapping.protocol.value_or("tcp"), *range);
  }

  // Ranges must not overlap with other ports of their container.
  void take(const std::string& protocol, PortRange range) {
    for (const auto& [other, taken] : container_ports_) {
      const bool overlap = other == protocol && range.first <= taken.last && taken.first <= range.last;
      const bool single = range.first == range.last && taken.first == taken.last;
      if (!overlap || single) continue;
      throw client_error(fmt::format("{} container port '{}' is used multiple times in task.", upper(protocol),
                                     std::max(range.first, taken.first)));
    }
    container_ports_.emplace_back(protocol, range);
  }

  void check_name(const PortMapping& mapping, const std::string& container) {
    if (!mapping.name) return;
    const std::string& name = *mapping.name;
    const bool plain = !name.empty() && name.size() <= kMaxPortName && name[0] != '-' &&
                       name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == name.npos;
    if (!plain) throw client_error(fmt::format("Invalid port mapping name '{}' for container '{}'.", name, container));
    if (!names_.insert(name).second) {
      throw client_error(fmt::format("The port mapping name is already used: {}.", name));
    }
  }

  const std::string mode_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::int32_t>> host_ports_;
  std::vector<std::pair<std::string, PortRange>> container_ports_;  // of one container
};

}  // namespace

void check_ports(const RegisterTaskDefinitionRequest& request) {
  Ports ports(network_mode(request));
  for (const ContainerDefinition& container : request.containerDefinitions) ports.add(container);
}

}  // namespace services::ecs
