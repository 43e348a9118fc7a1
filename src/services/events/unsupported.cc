// SPDX-License-Identifier: Apache-2.0
// Operations of Amazon's that Stoker does not have, each rejected by its name.
#include <boost/describe/class.hpp>
#include <iterator>
#include <utility>

#include "services/events/operations.h"
#include "wire/error.h"

namespace services::events {
namespace {

struct AnyInput {
  bool operator==(const AnyInput&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnyInput, (), ())

constexpr std::string_view kUnsupported[] = {
    "ActivateEventSource", "CancelReplay", "CreateApiDestination", "CreateArchive", "CreateConnection",
    "CreateEndpoint", "CreatePartnerEventSource", "DeactivateEventSource",
    "DeauthorizeConnection", "DeleteApiDestination", "DeleteArchive", "DeleteConnection", "DeleteEndpoint",
    "DeletePartnerEventSource", "DescribeApiDestination", "DescribeArchive",
    "DescribeConnection", "DescribeEndpoint", "DescribeEventSource",
    "DescribePartnerEventSource", "DescribeReplay", "ListApiDestinations", "ListArchives", "ListConnections",
    "ListEndpoints", "ListEventSources", "ListPartnerEventSourceAccounts",
    "ListPartnerEventSources", "ListReplays", "PutPartnerEvents",
    "StartReplay", "UpdateApiDestination", "UpdateArchive", "UpdateConnection", "UpdateEndpoint"
};

template <std::size_t I>
void reject_operation(Call&, const AnyInput&) {
  throw wire::ApiError("UnknownOperationException",
                       "Stoker does not support the operation " + std::string(kUnsupported[I]) + " of EventBridge.");
}

template <std::size_t... I>
std::vector<Operation> reject_all(std::index_sequence<I...>) {
  return {operation<&reject_operation<I>>(kUnsupported[I], Access::Read)...};
}

}  // namespace

std::vector<Operation> unsupported_operations() {
  return reject_all(std::make_index_sequence<std::size(kUnsupported)>());
}

}  // namespace services::events
