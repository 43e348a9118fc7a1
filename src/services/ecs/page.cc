// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/page.h"

#include "base/bytes.h"
#include "services/ecs/errors.h"

namespace services::ecs {

Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token,
             std::int32_t most) {
  Page page{most, ""};
  if (max_results) {
    if (*max_results < 1 || *max_results > most) {
      throw invalid_parameter("maxResults should be between 1 and " + std::to_string(most) + ".");
    }
    page.size = *max_results;
  }
  if (token && !token->empty()) {
    auto after = base::from_base64(*token);
    if (!after || after->empty()) throw invalid_parameter("Invalid token: " + *token);
    page.after = *after;
  }
  return page;
}

std::optional<std::string> cut(std::vector<std::string>& keys, const Page& page) {
  if (keys.size() <= static_cast<std::size_t>(page.size)) return std::nullopt;
  keys.resize(static_cast<std::size_t>(page.size));
  return base::to_base64(keys.back());
}

}  // namespace services::ecs
