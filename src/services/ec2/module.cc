// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/module.h"

#include <memory>

#include "services/ec2/errors.h"
#include "services/ec2/instance_type_file.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/instances/terminated_loop.h"
#include "services/ec2/operations.h"
#include "services/ec2/schema.h"
#include "shapes/ec2/errors.h"
#include "state/ec2_instance.h"

namespace services::ec2 {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {run_operations(), instance_list_operations(), instance_power_operations(),
                    instance_status_operations(), instance_attribute_operations(), template_operations(),
                    template_version_operations(), template_data_operations(), instance_type_operations(),
                    zone_operations(), image_operations(), key_pair_operations(), tag_operations(), vpc_operations(),
                    subnet_operations(), security_group_operations(), security_rule_operations(), security_rule_change_operations(),
                    route_table_operations(), internet_gateway_operations(), network_acl_operations(),
                    absent_resource_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  Service ec2;
  ec2.wire = {.name = "ec2",
              .api_version = "2016-11-15",
              .xml_namespace = "http://ec2.amazonaws.com/doc/2016-11-15/",
              .errors = shapes::ec2::kErrors};
  ec2.signing_name = "ec2";
  ec2.protocols = {wire::Protocol::Ec2};
  ec2.body_limit = kBodyLimit;
  ec2.operations = all_operations();
  ec2.violation_error = &violation_error;
  return ec2;
}

std::vector<Gauge> instance_gauges(Call& call) {
  std::vector<Gauge> gauges;
  call.tx.query("SELECT state, count(*) FROM ec2_instances GROUP BY state ORDER BY state")
      .each([&](const store::Row& row) {
        const auto state = static_cast<state::Ec2State>(row.integer(0));
        gauges.push_back({.name = "stoker_ec2_instances",
                          .help = "EC2 instances by state.",
                          .labels = {{"state", std::string(text(state))}},
                          .value = static_cast<double>(row.integer(1))});
      });
  return gauges;
}

}  // namespace

Module module(const Options& options) {
  Module ec2;
  ec2.service = make_service();
  ec2.internal_operations = machine_operations();
  ec2.migrations = migrations();
  ec2.add_memory = [types = read_instance_types(options.instance_types_file)](Locals& locals) {
    locals.add<InstanceTypeCatalogue>(InstanceTypeCatalogue{types});
  };
  ec2.loops = {terminated_loop()};
  ec2.gauges = &instance_gauges;
  return ec2;
}

}  // namespace services::ec2
