// SPDX-License-Identifier: Apache-2.0
// The rows of EC2's operations, one function for each noun.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::ec2 {

std::vector<Operation> run_operations();
std::vector<Operation> instance_list_operations();
std::vector<Operation> instance_power_operations();
std::vector<Operation> instance_status_operations();
std::vector<Operation> instance_attribute_operations();
std::vector<Operation> template_operations();
std::vector<Operation> template_version_operations();
std::vector<Operation> template_data_operations();
std::vector<Operation> instance_type_operations();
std::vector<Operation> zone_operations();
std::vector<Operation> image_operations();
std::vector<Operation> key_pair_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> vpc_operations();
std::vector<Operation> subnet_operations();
std::vector<Operation> security_group_operations();
std::vector<Operation> security_rule_operations();
std::vector<Operation> security_rule_change_operations();
std::vector<Operation> route_table_operations();
std::vector<Operation> internet_gateway_operations();
std::vector<Operation> network_acl_operations();
std::vector<Operation> absent_resource_operations();

// ReportMachine and MachineJoined (shapes/stoker/machine.h).
std::vector<Operation> machine_operations();

}  // namespace services::ec2
