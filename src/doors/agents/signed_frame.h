// SPDX-License-Identifier: Apache-2.0
// A frame of telemetry as Amazon's agent sends it: lines of headers, with a signature among them, an empty line, JSON.
#pragma once

#include <optional>
#include <string_view>

#include "base/headers.h"

namespace doors::agents {

struct SignedFrame {
  base::Headers headers;
  std::string_view json;  // of the text that was split
};

// nullopt where the text has no header lines, as frames of our own agent. Lines that are no headers are left out.
std::optional<SignedFrame> split_frame(std::string_view text);

}  // namespace doors::agents
