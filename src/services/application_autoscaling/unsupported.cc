// SPDX-License-Identifier: Apache-2.0
// Operations of Amazon's that Stoker does not have, each rejected by its name.
#include <boost/describe/class.hpp>

#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"

namespace services::application_autoscaling {
namespace {

struct AnyInput {
  bool operator==(const AnyInput&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnyInput, (), ())

void reject_forecast(Call&, const AnyInput&) { throw unsupported("the operation GetPredictiveScalingForecast"); }

}  // namespace

std::vector<Operation> unsupported_operations() {
  return {operation<&reject_forecast>("GetPredictiveScalingForecast", Access::Read)};
}

}  // namespace services::application_autoscaling
