// SPDX-License-Identifier: Apache-2.0
// The input of operations that have none.
#pragma once

#include <boost/describe/class.hpp>

namespace services::autoscaling {

struct NoParameters {
  bool operator==(const NoParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(NoParameters, (), ())

}  // namespace services::autoscaling
