// SPDX-License-Identifier: Apache-2.0
#include "services/s3/page_number.h"

#include <string>

#include "services/s3/errors.h"

namespace services::s3 {

std::int32_t page_number(std::optional<std::int32_t> value, std::int32_t otherwise, std::string_view name) {
  if (value.value_or(0) >= 0) return value.value_or(otherwise);
  throw invalid_argument("Argument " + std::string(name) + " must be an integer between 0 and 2147483647", name,
                         std::to_string(*value));
}

}  // namespace services::s3
