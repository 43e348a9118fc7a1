// SPDX-License-Identifier: Apache-2.0
// What /health answers.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>

#include "wire/traits.h"

namespace shapes::stoker {

struct Health {
  std::string status;
  std::string version;
  std::int64_t uptimeSeconds = 0;
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, version, uptimeSeconds))

}  // namespace shapes::stoker
