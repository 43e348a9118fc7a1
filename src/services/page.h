// SPDX-License-Identifier: Apache-2.0
// Lists, page by page. A token is the last key of the page before it, so that it survives the deletion of that one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wire/error.h"

namespace services {

struct Page {
  std::int64_t size = 0;
  std::string after = {};  // "": from the start
};

// A service's limit and its errors.
struct PageRules {
  std::int32_t most = 0;
  std::function<wire::ApiError(std::int32_t size)> invalid_size;
  std::function<wire::ApiError(const std::string& token)> invalid_token;
};

// Throws where the size is not 1 to `most`, or the token is not one of cut_page(). An empty token is as none.
Page read_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token,
               const PageRules& rules);

// Removes the keys beyond the page; to learn whether there is more, ask the database for one more than its size.
// The token of the next page, where there is one.
std::optional<std::string> cut_page(std::vector<std::string>& keys, const Page& page);

}  // namespace services
