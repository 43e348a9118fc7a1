// SPDX-License-Identifier: Apache-2.0
// The rows of the operations on groups, one function for each noun, and the rest that the module needs of this folder.
#pragma once

#include <boost/describe/class.hpp>
#include <vector>

#include "services/module.h"

namespace services::autoscaling {

// The input of an operation without members.
struct NoMembers {
  bool operator==(const NoMembers&) const = default;
};
BOOST_DESCRIBE_STRUCT(NoMembers, (), ())

std::vector<Operation> group_operations();
std::vector<Operation> group_size_operations();
std::vector<Operation> group_list_operations();
std::vector<Operation> group_type_operations();
std::vector<Operation> instance_operations();
std::vector<Operation> instance_state_operations();
std::vector<Operation> hook_operations();
std::vector<Operation> activity_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> launch_configuration_operations();
std::vector<Operation> metric_operations();
std::vector<Operation> group_wait_operations();  // for our command line

// "InstanceChanged", for EC2.
std::vector<Operation> group_internal_operations();

// "autoscaling-groups": launches and terminates.
Loop group_loop();

// AWS/AutoScaling: the metrics that groups have enabled.
Measured measure_groups(Call& call, const Due& due);

}  // namespace services::autoscaling
