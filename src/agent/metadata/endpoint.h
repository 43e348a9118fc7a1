// SPDX-License-Identifier: Apache-2.0
// The addresses at which containers reach their metadata, their credentials and the server, and the
// environment variables that name them.
//
// In order of preference, for containers with a network of their own:
//  1. 169.254.170.2:80, like on Amazon;
//  2. 169.254.170.2 with another port, where another agent of this machine has port 80: SDKs accept
//     that address in AWS_CONTAINER_CREDENTIALS_FULL_URI;
//  3. the bridge's address, where the agent may not add addresses. SDKs reject a credentials endpoint
//     there, so the credentials go into the environment and cannot be renewed.
// Containers on the host's network, and processes, use 127.0.0.1.
//
// The server itself is reached through a relay where its own address does not serve: one on loopback, for containers with
// a network of their own, and one with TLS, for all. Relays speak plain HTTP, within this machine.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/metadata/registry.h"
#include "agent/metadata/relay.h"
#include "http/io_threads.h"
#include "http/server.h"

namespace agent {

struct MetadataSettings {
  std::string server_url;    // "http://127.0.0.1:4566"
  std::string ca_file = {};  // trusted certificates for https; "": those of the system
  std::string region;
  std::string folder;                          // stores the ports, because containers outlive an agent
  std::string link_address = "169.254.170.2";  // "": none
  unsigned short link_port = 80;
  std::string bridge_address = {};  // of the engine's bridge; "": that of docker0, if present
};

class MetadataEndpoint {
 public:
  // Throws std::runtime_error if it cannot listen on 127.0.0.1. `registry` must outlive it.
  MetadataEndpoint(http::IoThreads& io, const MetadataRegistry& registry, MetadataSettings settings);
  // Blocks, so not to be called on a thread of `io`. Removes the address that an agent added, unless it
  // is in use.
  ~MetadataEndpoint();

  // A container's variables. `network_mode`: "host" (also for processes), "none", or any other.
  // `credentials_id`: "" without a role. Thread-safe.
  std::map<std::string, std::string> environment_for(const std::string& network_mode, const std::string& endpoint_id,
                                                     const std::string& credentials_id) const;

 private:
  // A server at an address that containers reach; without a server where it could not listen.
  struct Listener {
    std::unique_ptr<http::Server> server;
    std::string address;
    std::string url() const;
  };

  Listener listen(const std::string& name, const std::string& address, std::vector<unsigned short> ports);
  void listen_on_link_address();
  void start_relays();
  std::string open_relay(const std::string& name, const std::string& address);
  unsigned short saved_port(const std::string& name) const;
  void save_port(const std::string& name, unsigned short port);
  std::map<std::string, std::string> credentials_for(bool host, const std::string& credentials_id) const;

  http::IoThreads& io_;
  const MetadataRegistry& registry_;
  const MetadataSettings settings_;
  std::map<std::string, unsigned short> ports_;  // by the listener's name
  bool added_address_ = false;
  Listener host_;    // 127.0.0.1
  Listener link_;    // 169.254.170.2
  Listener bridge_;  // the engine's bridge; only without link_
  std::vector<std::unique_ptr<Relay>> relays_;
  std::string host_server_url_;       // for processes and containers on the host's network
  std::string container_server_url_;  // for containers with a network of their own; "": unreachable
};

}  // namespace agent
