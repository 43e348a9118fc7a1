// SPDX-License-Identifier: Apache-2.0
// Resource policies of an account: which services may write to its log groups.
#pragma once

#include <string_view>

#include "services/logs/group.h"

namespace services::logs {

inline constexpr char kPolicyTables[] = R"sql(
CREATE TABLE logs_resource_policies (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account, region, name)
);
)sql";

// Throws AccessDeniedException where a service writes, and no policy of the account allows it.
void check_service(Call& call, const Group& group, std::string_view stream, std::string_view action);

}  // namespace services::logs
