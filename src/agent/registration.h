// SPDX-License-Identifier: Apache-2.0
// How a machine becomes a container instance, and stays the same one.
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

// What this machine has.
struct HostSize {
  std::int64_t cores = 0;
  std::int64_t memory_mib = 0;
};
HostSize host_size();
std::string host_name();
std::string cpu_architecture();  // "x86_64", "arm64": ECS's names

// Without ARN and token.
shapes::ecs::RegisterContainerInstanceRequest describe_machine(const Options& options, const HostSize& host,
                                                               const drivers::Abilities& abilities,
                                                               const std::vector<gpu::Gpu>& gpus);

// Which instance this machine is: `<data>/instance.json`.
struct InstanceFile {
  std::string containerInstanceArn;  // "": none yet
  std::string cluster;
  std::string clientToken;  // makes a registration that is sent twice one
};
BOOST_DESCRIBE_STRUCT(InstanceFile, (), (containerInstanceArn, cluster, clientToken))

class Registration {
 public:
  Registration(const Options& options, client::AsyncClient& calls);

  // Throws wire::ApiError and std::runtime_error. Sets arn().
  boost::asio::awaitable<void> register_as(shapes::ecs::RegisterContainerInstanceRequest machine);
  // The server does not know this instance any more: the next one will be new.
  void forget();

  const std::string& arn() const { return file_.containerInstanceArn; }
  // The options name another cluster than the one that this machine was of.
  bool moved() const { return moved_; }

 private:
  boost::asio::awaitable<void> make_default_cluster();
  void save();

  const Options& options_;
  client::AsyncClient& calls_;
  const std::string path_;
  InstanceFile file_;
  bool moved_ = false;
};

// Whether an error says that the instance is not (or no longer) one.
bool is_instance_gone(const std::string& code, const std::string& message);

}  // namespace agent
