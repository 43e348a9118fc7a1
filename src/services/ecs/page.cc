// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/page.h"

#include "services/ecs/errors.h"

namespace services::ecs {

Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token,
             std::int32_t most) {
  auto invalid_size = [most](std::int32_t) {
    return invalid_parameter("maxResults should be between 1 and " + std::to_string(most) + ".");
  };
  auto invalid_token = [](const std::string& text) { return invalid_parameter("Invalid token: " + text); };
  return read_page(max_results, token, {most, invalid_size, invalid_token});
}

}  // namespace services::ecs
