// SPDX-License-Identifier: Apache-2.0
// Reads a streaming reply of the server line by line: logs, a scrub.
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
  std::string what;  // for errors: "the logs"
};

// Calls `each` for each line until the end, or until it returns false. Throws wire::ApiError for an
// error reply, and std::runtime_error when the server does not respond or the stream breaks.
void read_lines(const client::Profile& profile, const LineRequest& request,
                const std::function<bool(std::string_view)>& each);

}  // namespace cli
