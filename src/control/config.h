// SPDX-License-Identifier: Apache-2.0
// The configuration of a server.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "control/providers/provider_options.h"
#include "doors/agents/external_objects.h"
#include "http/admission.h"
#include "http/body_budget.h"
#include "services/options.h"

namespace control {

using doors::agents::ExternalObjects;
// nullopt without an endpoint; an error without its keys.
base::Result<std::optional<ExternalObjects>> external_objects(ExternalObjects given);
// Of "ACCOUNT=BUCKET": 12 digits, and a name or "*".
base::Result<std::map<std::string, std::set<std::string>>> allowed_buckets(const std::vector<std::string>& texts);

// `texts`: as services::parse_quota reads them.
base::Result<services::Quotas> account_quotas(services::Quota each, const std::vector<std::string>& texts);

// 0: the default, which depends on the number of all connections.
struct ConnectionSettings {
  std::size_t all = 36864;  // two sessions for each of 10,000 machines, as many long polls, and others
  std::size_t per_address = 0, per_account = 0;
};
// A sixth of all connections is reserved for agents, a sixth for clients and a sixth for clients that have not shown a
// key: of these, one address gets a quarter. An account gets half of all connections, its agents seven twelfths, and both
// together three quarters, so that other accounts have places.
http::AdmissionLimits admission_limits(const ConnectionSettings& settings);
// One address gets a quarter of the memory.
http::BodyLimits body_limits(std::size_t all_bytes);
// One account gets half of the memory.
http::BodyLimits account_body_limits(std::size_t all_bytes);

// The first line of the file. An error if it is empty or shorter than a secret may be.
base::Result<std::string> read_token_file(const std::string& path);

struct Config {
  std::string data;
  std::string store = {};  // postgresql://...; empty: SQLite in the data folder
  std::string address = "127.0.0.1";
  unsigned short port = 4566;
  std::string tls_certificate, tls_key;  // both or none
  std::string account = "000000000000";  // of the root key, when it is created
  int threads = 0;                       // 0: one for each core
  services::Options services = {};
  std::optional<ExternalObjects> objects = {};
  ConnectionSettings connections = {};
  std::size_t unverified_body_bytes = http::BodyLimits().all;
  std::size_t account_body_bytes = std::size_t{1} << 30;
  std::string metrics_token = {};         // "": /metrics needs none
  std::vector<std::string> domains = {};  // whose subdomains name buckets
  bool webhook_private_networks = false;  // webhooks may be sent to this machine and to private networks
  providers::ProviderOptions provider = {};
  std::optional<std::uint64_t> reserve = {};  // bytes of the disk for requests that free space; absent: by its size
  bool drop_damaged_log = false;              // start without the transactions that a damaged log has lost
  base::LogLevel log_level = base::LogLevel::Info;
};

int thread_count(const Config& config);

// How many of the wanted connections a limit of open files allows. An error where the server can't work with it.
base::Result<std::size_t> allowed_connections(std::size_t file_limit, std::size_t wanted, int threads);

struct Listen {
  std::string address;
  unsigned short port = 0;
};
// "127.0.0.1:4566", "[::1]:4566", ":4566" (all addresses), "4566"
base::Result<Listen> parse_listen(const std::string& text);

}  // namespace control
