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
#include "services/options.h"

namespace control {

using doors::agents::ExternalObjects;
// nullopt without an endpoint; an error without its keys.
base::Result<std::optional<ExternalObjects>> external_objects(ExternalObjects given);
// Of "ACCOUNT=BUCKET": 12 digits, and a name or "*".
base::Result<std::map<std::string, std::set<std::string>>> allowed_buckets(const std::vector<std::string>& texts);

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
  std::vector<std::string> domains = {};  // whose subdomains name buckets
  bool webhook_private_networks = false;  // webhooks may be sent to this machine and to private networks
  providers::ProviderOptions provider = {};
  base::LogLevel log_level = base::LogLevel::Info;
};

struct Listen {
  std::string address;
  unsigned short port = 0;
};
// "127.0.0.1:4566", "[::1]:4566", ":4566" (all addresses), "4566"
base::Result<Listen> parse_listen(const std::string& text);

}  // namespace control
