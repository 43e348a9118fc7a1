// SPDX-License-Identifier: Apache-2.0
// Operations of Amazon's that Stoker does not have, each rejected by its name.
#include "services/autoscaling/unsupported.h"

#include <boost/describe/class.hpp>
#include <iterator>
#include <string_view>
#include <utility>

#include "wire/error.h"

namespace services::autoscaling {
namespace {

struct AnyInput {
  bool operator==(const AnyInput&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnyInput, (), ())

constexpr std::string_view kUnsupported[] = {"AttachLoadBalancerTargetGroups",
                                             "AttachLoadBalancers",
                                             "AttachTrafficSources",
                                             "DeleteWarmPool",
                                             "DescribeWarmPool",
                                             "DetachLoadBalancerTargetGroups",
                                             "DetachLoadBalancers",
                                             "DetachTrafficSources",
                                             "GetPredictiveScalingForecast",
                                             "LaunchInstances",
                                             "PutWarmPool"};

template <std::size_t I>
void reject_operation(Call&, const AnyInput&) {
  throw wire::ApiError("UnsupportedOperation",
                       "Stoker does not support the operation " + std::string(kUnsupported[I]) + " of Auto Scaling.");
}

template <std::size_t... I>
std::vector<Operation> reject_all(std::index_sequence<I...>) {
  return {operation<&reject_operation<I>>(kUnsupported[I], Access::Read)...};
}

}  // namespace

std::vector<Operation> unsupported_operations() {
  return reject_all(std::make_index_sequence<std::size(kUnsupported)>());
}

}  // namespace services::autoscaling
