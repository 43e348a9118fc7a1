// SPDX-License-Identifier: Apache-2.0
// ECS's ARNs: "arn:aws:ecs:us-east-1:111111111111:cluster/web".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/call.h"

namespace services::ecs {

struct Arn {
  std::string region, account, type, name;  // type "cluster", name "web"

  std::string str() const;
  bool belongs_to(const Caller& caller) const { return region == caller.region && account == caller.account; }
};

// nullopt for what is no ARN of ECS's.
std::optional<Arn> parse_arn(std::string_view text);

// The same, pointing into the text.
struct ArnParts {
  std::string_view region, account, type, name;
};
std::optional<ArnParts> split_arn(std::string_view text);
std::string arn_text(const ArnParts& parts);
Arn own_arn(const Caller& caller, std::string_view type, std::string_view name);

// Letters, digits, '-' and '_', 1 to 255 of them: clusters, families, containers, volumes.
bool plain_name(std::string_view name);

}  // namespace services::ecs
