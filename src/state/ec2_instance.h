// SPDX-License-Identifier: Apache-2.0
// EC2 instances: machines that Stoker itself starts and stops, through an instance provider. EC2 owns these rows; Auto
// Scaling, ECS and the providers read them, and change them only through EC2's operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace state {

// EC2's codes of instance states.
enum class Ec2State { Pending = 0, Running = 16, ShuttingDown = 32, Terminated = 48, Stopping = 64, Stopped = 80 };
std::string_view text(Ec2State state);  // "shutting-down"

struct Ec2Instance {
  std::int64_t number = 0;
  std::string id;  // "i-0123456789abcdef0", which is also the machine's name in its cluster (ec2InstanceId)
  std::string account, region, zone;
  std::string type;   // "g4dn.xlarge"
  std::string group;  // of Auto Scaling; "": none
  Ec2State state = Ec2State::Pending;
  std::int64_t version = 1;
  std::string agent_json;    // settings of its agent, from its user data: model::AgentSettings
  std::string machine_json;  // a process, a job: only its provider interprets it; "": not started yet
  std::string body_json;     // all else that EC2 shows of it: only EC2 interprets it
  std::optional<base::Time> joined_at;  // its agent has registered
  base::Time launched_at;
  base::Time changed_at;  // when its state last changed
};

store::Migrations ec2_instance_migrations();

// The provider has a machine to start or to stop.
inline constexpr std::string_view kMachinesTopic = "ec2/machines";

std::optional<Ec2Instance> find_ec2_instance(store::Tx& tx, const std::string& id);
// Those of an account and region, terminated ones too, after the id `after`, at most so many, by id.
struct Ec2InstanceFilter {
  std::string account, region;
  std::string after = {};
  std::int64_t most = 0;
};
std::vector<Ec2Instance> list_ec2_instances(store::Tx& tx, const Ec2InstanceFilter& filter);
// Of an Auto Scaling group, except terminated ones, oldest first.
std::vector<Ec2Instance> list_ec2_instances_of(store::Tx& tx, const std::string& account, const std::string& region,
                                               const std::string& group);
// The Auto Scaling groups of all instances of an account and region that are not terminated; "" for those of none.
std::map<std::string, std::string> ec2_groups(store::Tx& tx, const std::string& account, const std::string& region);
// All for which a provider may have work or a process: those that are not terminated and not stopped, oldest first.
std::vector<Ec2Instance> list_ec2_machines(store::Tx& tx);

// Sets its number.
void insert_ec2_instance(store::Tx& tx, Ec2Instance& instance);
// Increments its version.
void update_ec2_instance(store::Tx& tx, Ec2Instance& instance);
// Deletes those that were terminated at `since` or before; when the first of the others was terminated.
std::optional<base::Time> delete_terminated_ec2_instances(store::Tx& tx, base::Time since);
std::optional<base::Time> first_terminated_ec2_instance(store::Tx& tx);

}  // namespace state
