// SPDX-License-Identifier: Apache-2.0
// Serves containers their metadata, like Amazon's task metadata endpoint version 4 (and version 3, which
// is the same under another path), and the credentials of their role. The agent fills it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "http/message.h"
#include "http/server.h"
#include "shapes/agent/task.h"

namespace agent {

struct ContainerMetadata {
  std::string endpoint_id;  // in its URLs; unguessable and constant
  std::string docker_id;
  std::string name;
  std::string docker_name;
  std::string image;
  std::string image_id;  // "sha256:..."
  std::map<std::string, std::string> labels;
  std::string desired_status = "RUNNING";
  std::string known_status;
  std::int64_t cpu_units = 0;
  std::int64_t memory_mib = 0;
  std::optional<base::Time> created_at, started_at, finished_at;
  std::optional<int> exit_code;
  std::optional<std::string> health;  // HEALTHY, UNHEALTHY, UNKNOWN
  std::string container_arn;
  std::string log_driver;
  std::map<std::string, std::string> log_options;
  std::string network_mode;  // bridge, host, awsvpc
  std::vector<std::string> ipv4_addresses;
  struct Port {
    std::int32_t container_port = 0;
    std::int32_t host_port = 0;
    std::string protocol = "tcp";
    std::string host_ip;
  };
  std::vector<Port> ports;
};

struct TaskMetadata {
  std::string cluster;  // name or ARN
  std::string arn;
  std::string family;
  std::string revision;
  std::string service_name;
  std::string desired_status = "RUNNING";
  std::string known_status;
  std::optional<double> cpu;  // vCPU
  std::optional<std::int64_t> memory_mib;
  std::optional<base::Time> pull_started_at, pull_stopped_at, execution_stopped_at;
  std::string availability_zone;
  std::string launch_type;
  std::vector<ContainerMetadata> containers;
};

// The last measurement of a container.
struct ContainerUsage {
  base::Time at;
  double cpu_percent = 0;  // of one core
  std::int64_t memory_bytes = 0;
};

// Two consecutive measurements, in the form that Docker's formula for a percentage needs.
struct ContainerStats {
  ContainerUsage before, now;
  std::int64_t cpu_before_ns = 0, cpu_now_ns = 0;
};

// Thread-safe.
class MetadataRegistry {
 public:
  // Adds the task or replaces it.
  void set_task(TaskMetadata task);
  // Also removes its containers and their measurements, but not its credentials.
  void remove_task(const std::string& arn);
  void set_usage(const std::string& endpoint_id, ContainerUsage usage);

  // Replaces credentials with the same id: those of a role are renewed before they expire.
  void set_credentials(shapes::agent::Credentials credentials);
  void remove_credentials(const std::string& credentials_id);
  std::optional<shapes::agent::Credentials> credentials(const std::string& credentials_id) const;

  http::Response respond(const http::RequestHead& request) const;

 private:
  struct State {
    std::map<std::string, TaskMetadata> tasks;                      // by ARN
    std::map<std::string, std::string> owners;                      // endpoint id -> task ARN
    std::map<std::string, ContainerStats> stats;                    // by endpoint id
    std::map<std::string, shapes::agent::Credentials> credentials;  // by id
  };
  static http::Response metadata_response(const State& state, std::string_view version, std::string_view rest);

  base::Guarded<State> state_;
};

// `registry` must outlive the handler.
http::Handler metadata_handler(const MetadataRegistry& registry);

}  // namespace agent
