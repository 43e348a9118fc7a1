// SPDX-License-Identifier: Apache-2.0
// Pages of lists. A token is the last key of the previous page, so that it survives the deletion of that key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace services::ecs {

struct Page {
  std::int64_t size = 0;
  std::string after;  // "": from the start
};

// Throws InvalidParameterException for a size that is not 1 to `most`, or an invalid token.
Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token,
             std::int32_t most = 100);

// `keys` holds one more than the page where there are more: that one is removed.
std::optional<std::string> cut(std::vector<std::string>& keys, const Page& page);

}  // namespace services::ecs
