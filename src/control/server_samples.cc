// SPDX-License-Identifier: Apache-2.0
#include "control/server_samples.h"

namespace control {
namespace {

// In the order of the enumerators.
constexpr const char* kKinds[http::kConnectionKinds] = {"local", "unknown", "client", "agent"};
constexpr const char* kReasons[http::kRefusals] = {"full", "unknown", "address", "account"};

// Nothing where the file system does not report its size.
void add_disk(const std::string& data, const base::DiskSpace& space, std::vector<services::Gauge>& gauges) {
  const auto disk = base::DiskSpace::look_at(data);
  if (!disk) return;
  gauges.push_back({"stoker_disk_free_bytes", "Free space on the disk of the data folder", {},
                    static_cast<double>(disk->free_bytes)});
  gauges.push_back({"stoker_disk_size_bytes", "Size of the disk of the data folder", {},
                    static_cast<double>(disk->total_bytes)});
  gauges.push_back({"stoker_disk_reserve_bytes", "Space that is kept for requests that free space", {},
                    static_cast<double>(space.reserve())});
}

}  // namespace

api::Metrics::Samples server_samples(const http::Server& server, const std::string& data, const base::DiskSpace& space) {
  api::Metrics::Samples samples;
  const http::Admission::Counts counts = server.admission().counts();
  for (std::size_t i = 0; i < http::kConnectionKinds; ++i) {
    samples.gauges.push_back({"stoker_connections", "Open connections", {{"kind", kKinds[i]}},
                              static_cast<double>(counts.connections[i])});
  }
  samples.gauges.push_back({"stoker_unverified_body_bytes",
                            "Memory of request bodies whose signature is not verified yet", {},
                            static_cast<double>(server.bodies().used())});
  samples.gauges.push_back({"stoker_account_body_bytes",
                            "Memory of accounts' request bodies and of responses that are not read yet", {},
                            static_cast<double>(server.account_bodies().used())});
  add_disk(data, space, samples.gauges);
  for (std::size_t i = 0; i < http::kRefusals; ++i) {
    samples.counters.push_back({"stoker_connections_refused_total", "Connections that were turned away",
                                {{"reason", kReasons[i]}}, static_cast<double>(counts.refused[i])});
  }
  samples.counters.push_back({"stoker_bodies_refused_total", "Request bodies for which there was no memory", {},
                              static_cast<double>(server.bodies().refused())});
  samples.counters.push_back({"stoker_account_bodies_refused_total",
                              "Requests and responses of accounts for which there was no memory", {},
                              static_cast<double>(server.account_bodies().refused())});
  return samples;
}

}  // namespace control
