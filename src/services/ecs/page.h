// SPDX-License-Identifier: Apache-2.0
// Lists, page by page. A token is the last key of the page before it, so that it survives
// that one's deletion.
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

// Throws InvalidParameterException for a size that is not 1 to `most`, or a token of nobody's.
Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token,
             std::int32_t most = 100);

// `keys` holds one more than the page where there is more: that one is cut off.
std::optional<std::string> cut(std::vector<std::string>& keys, const Page& page);

}  // namespace services::ecs
