// SPDX-License-Identifier: Apache-2.0
// What the server tells line by line for as long as it takes: logs, a scrub.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "client/request.h"
#include "wire/operation.h"

namespace cli {

struct LineRequest {
  std::string target;  // "/stoker/logs?cluster=..."
  wire::Service service;
  std::string signing_name;
  std::string what;  // "the logs"
};

// Gives each line to `each` until there are no more, or until it answers false. Throws wire::ApiError
// as the server answered, and std::runtime_error where it did not, or broke off.
void read_lines(const client::Profile& profile, const LineRequest& request,
                const std::function<bool(std::string_view)>& each);

}  // namespace cli
