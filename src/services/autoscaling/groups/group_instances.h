// SPDX-License-Identifier: Apache-2.0
// The group's view of its instances. EC2 has their machines (state/ec2_instance.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/group_plan.h"
#include "base/time.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "shapes/autoscaling/group.h"

namespace services::autoscaling {

using autoscaler::Lifecycle;

struct GroupInstance {
  std::int64_t number = 0;
  std::int64_t group = 0;
  std::string id, zone, type, image;
  Lifecycle lifecycle = Lifecycle::Pending;
  bool healthy = true;
  bool is_protected = false;  // from scale-in
  // What launched it. The version of a template is a number.
  std::optional<std::string> launch_configuration;
  std::optional<shapes::autoscaling::LaunchTemplateSpecification> launch_template;
  std::string activity;          // the id of the one in progress; "": none
  bool skips_hooks = false;      // attached, or back from standby
  bool stop_requested = false;   // EC2 terminates it
  bool is_balancing = false;     // launched to balance zones, and not in service yet
  std::int32_t weight = 1;       // units of capacity
  std::string unhealthy_reason;  // as in causes: "a user health-check"
  std::string replace_cause;     // a sentence without its time: it is to be replaced
  std::string machine_reason;    // why its machine failed or is gone, by EC2; only set_machine_reason() changes it
  base::Time launched_at;
  std::optional<base::Time> in_service_at;
  std::optional<base::Time> unhealthy_at;  // when it may be replaced; later than now in its grace period

  bool is_warm(const Group& group, base::Time now) const {
    return lifecycle == Lifecycle::InService && in_service_at && *in_service_at + group.warmup() <= now;
  }
};

std::string_view text(Lifecycle lifecycle);  // "Pending:Wait"

// By number: oldest first.
std::vector<GroupInstance> list_group_instances(store::Tx& tx, std::int64_t group);
std::optional<GroupInstance> find_group_instance(store::Tx& tx, const std::string& id);
// Of this group; throws ValidationError "The instance <i> is not part of Auto Scaling group <g>.".
GroupInstance find_instance_of(store::Tx& tx, const Group& group, const std::string& id);
void insert_group_instance(store::Tx& tx, GroupInstance& instance);
// The caller must save the group, too, so that its version changes.
void update_group_instance(store::Tx& tx, const GroupInstance& instance);
void delete_group_instance(store::Tx& tx, const std::string& id);
void set_machine_reason(store::Tx& tx, const std::string& id, const std::string& reason);
// By id, after `after`, of all groups of an account and region.
struct InstanceOfGroup {
  std::string group_name;
  GroupInstance instance;
};
std::vector<InstanceOfGroup> list_instances(store::Tx& tx, const std::string& account, const std::string& region,
                                            const std::string& after, std::int64_t most);

// The launch source of the group at this moment, with the version of a template as a number: what an instance that is
// launched now gets. Throws where EC2 does not have the template.
struct LaunchSource {
  std::optional<std::string> launch_configuration;
  std::optional<shapes::autoscaling::LaunchTemplateSpecification> launch_template;
};
LaunchSource current_launch_source(Call& call, const Group& group);

}  // namespace services::autoscaling
