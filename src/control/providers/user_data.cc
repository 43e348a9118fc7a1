// SPDX-License-Identifier: Apache-2.0
#include "control/providers/user_data.h"

#include "base/bytes.h"
#include "services/invoke.h"
#include "shapes/ec2/instance_attribute.h"

namespace control::providers {

std::string user_data_of(services::Call& call, const state::Ec2Instance& instance) {
  services::Caller principal = services::as_service(call, "providers.stoker", "", instance.account);
  principal.region = instance.region;
  const shapes::ec2::DescribeInstanceAttributeRequest request{.InstanceId = instance.id, .Attribute = "userData"};
  const auto shown = services::invoke<shapes::ec2::InstanceAttribute>(call, principal, "ec2", "DescribeInstanceAttribute", request);
  if (!shown.UserData || !shown.UserData->Value) return "";
  return base::from_base64(*shown.UserData->Value).value_or("");
}

}  // namespace control::providers
