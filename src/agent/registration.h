// SPDX-License-Identifier: Apache-2.0
// Registers the machine as a container instance, and keeps its identity over restarts.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "client/async_client.h"
#include "shapes/ecs/container_instance.h"

namespace agent {

extern const client::Target kEcs;

struct HostSize {
  std::int64_t cores = 0;
  std::int64_t memory_mib = 0;
};
HostSize host_size();
std::string host_name();
std::string cpu_architecture();  // in ECS's terms: "x86_64", "arm64"

// The request without ARN and token.
shapes::ecs::RegisterContainerInstanceRequest describe_machine(const Options& options, const HostSize& host,
                                                               const drivers::Abilities& abilities,
                                                               const std::vector<gpu::Gpu>& gpus);

// The machine's identity, stored in `<data>/instance.json`.
struct InstanceFile {
  std::string containerInstanceArn;  // "": not registered yet
  std::string cluster;
  std::string clientToken;  // makes a repeated registration idempotent
  std::string accessKeyId;  // the key that registered it: another one cannot act for it
};
BOOST_DESCRIBE_STRUCT(InstanceFile, (), (containerInstanceArn, cluster, clientToken, accessKeyId))

class Registration {
 public:
  Registration(const Options& options, client::AsyncClient& calls);

  // Throws wire::ApiError and std::runtime_error. Sets arn().
  boost::asio::awaitable<void> register_as(shapes::ecs::RegisterContainerInstanceRequest machine);
  // The server no longer has this instance: the next registration creates a new one.
  void forget();

  const std::string& arn() const { return file_.containerInstanceArn; }
  // True: the options name another cluster or another key than the last registration.
  bool moved() const { return moved_; }

 private:
  boost::asio::awaitable<void> create_default_cluster();
  void save();

  const Options& options_;
  client::AsyncClient& calls_;
  const std::string path_;
  InstanceFile file_;
  bool moved_ = false;
};

// True: the error means that the key of this machine has ended, because the machine was removed.
bool is_key_retired(const std::string& code);
// True: the error means that the server does not know the key, whatever the reason.
bool is_key_unknown(const std::string& code);

// True: the error means that the instance is not registered, or no longer.
bool is_instance_gone(const std::string& code, const std::string& message);

}  // namespace agent
