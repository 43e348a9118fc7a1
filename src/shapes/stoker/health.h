// SPDX-License-Identifier: Apache-2.0
// What /health answers.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/traits.h"

namespace shapes::stoker {

struct Health {
  std::string status;  // ok, full, stopping
  std::string version;
  std::int64_t uptimeSeconds = 0;
  std::optional<std::string> reason = {};  // why nothing can be written
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, version, uptimeSeconds, reason))

}  // namespace shapes::stoker
