// SPDX-License-Identifier: Apache-2.0
// Where containers find their metadata, their credentials and the server, and the variables that
// tell them.
//
// In order of preference, for containers with a network of their own:
//  1. 169.254.170.2:80, as on Amazon;
//  2. 169.254.170.2 on another port, where another agent of this machine has 80: SDKs accept that
//     address in AWS_CONTAINER_CREDENTIALS_FULL_URI;
//  3. the bridge's own address, where we may not add addresses. SDKs take no credentials from
//     there, so these go into the environment, where they can't be renewed.
// Containers on the host's network, and processes, use 127.0.0.1.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/metadata/registry.h"
#include "agent/metadata/relay.h"
#include "http/io_threads.h"
#include "http/server.h"

namespace agent {

struct MetadataSettings {
  std::string server_url;  // "http://127.0.0.1:4566"
  std::string region;
  std::string folder;                          // remembers ports, as containers outlive an agent
  std::string link_address = "169.254.170.2";  // "": none
  unsigned short link_port = 80;
  std::string bridge_address = {};  // of the engine's bridge; "": that of docker0, if there is one
};

class MetadataEndpoint {
 public:
  // Throws std::runtime_error where not even 127.0.0.1 can be had. `registry` outlives it.
  MetadataEndpoint(http::IoThreads& io, const MetadataRegistry& registry, MetadataSettings settings);
  // Waits; not for a thread of `io`. Takes the address away if it was ours and nobody uses it.
  ~MetadataEndpoint();

  // For a container, below what its definition sets itself. `network_mode`: "host" (also for
  // processes), "none", or any other. `credentials_id`: "" without a role. From any thread.
  std::map<std::string, std::string> environment_for(const std::string& network_mode, const std::string& endpoint_id,
                                                     const std::string& credentials_id) const;

 private:
  // An address that containers reach, and its port; no server: none.
  struct Place {
    std::unique_ptr<http::Server> server;
    std::string address;
    std::string url() const;
  };

  Place listen(const std::string& name, const std::string& address, std::vector<unsigned short> ports);
  void take_link_address();
  void start_relay();
  unsigned short remembered(const std::string& name) const;
  void remember(const std::string& name, unsigned short port);
  std::map<std::string, std::string> credentials_for(bool host, const std::string& credentials_id) const;

  http::IoThreads& io_;
  const MetadataRegistry& registry_;
  const MetadataSettings settings_;
  std::map<std::string, unsigned short> ports_;  // by the listener's name
  bool added_address_ = false;
  Place host_;    // 127.0.0.1
  Place link_;    // 169.254.170.2
  Place bridge_;  // the engine's bridge, where there is no link_
  std::unique_ptr<Relay> relay_;
  std::string container_server_url_;  // for containers with a network of their own; "": can't be reached
};

}  // namespace agent
