// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/part_of_service.h"

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"

namespace services::ecs {

std::optional<PartOfService> find_part_of_service(Call& call, const std::string& arn, std::string_view type) {
  const auto parsed = parse_arn(arn);
  const std::size_t first = parsed ? parsed->name.find('/') : std::string::npos;
  const std::size_t second = first == std::string::npos ? first : parsed->name.find('/', first + 1);
  if (second == std::string::npos || parsed->type != type) throw invalid_parameter("Invalid ARN: " + arn);
  if (!parsed->belongs_to(call.caller)) return std::nullopt;
  const std::string cluster_name = parsed->name.substr(0, first);
  const std::string service_name = parsed->name.substr(first + 1, second - first - 1);
  auto cluster = state::find_cluster(call.tx, {call.caller.account, call.caller.region, cluster_name});
  auto service = cluster ? state::find_service(call.tx, cluster->number, service_name) : std::nullopt;
  if (!service) return std::nullopt;
  return PartOfService{std::move(*cluster), std::move(*service), parsed->name.substr(second + 1)};
}

}  // namespace services::ecs
