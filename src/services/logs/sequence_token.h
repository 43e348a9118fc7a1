// SPDX-License-Identifier: Apache-2.0
// Sequence tokens: nobody checks them any more, but older collectors resend a batch without one.
#pragma once

#include <cstdint>
#include <string>

namespace services::logs {

// 56 digits.
inline std::string sequence_token(std::int64_t batch) {
  const std::string number = std::to_string(batch);
  return "49" + std::string(54 - number.size(), '0') + number;
}

}  // namespace services::logs
