// SPDX-License-Identifier: Apache-2.0
// What an ARN below a service names: "service-revision/CLUSTER/SERVICE/ID".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/ecs/services/stored_service.h"

namespace services::ecs {

struct PartOfService {
  state::Cluster cluster;
  state::Service service;
  std::string id;  // the end of the ARN
};

// nullopt where the cluster or the service does not exist, or belongs to somebody else. Throws
// InvalidParameterException for any other text.
std::optional<PartOfService> find_part_of_service(Call& call, const std::string& arn, std::string_view type);

}  // namespace services::ecs
