// SPDX-License-Identifier: Apache-2.0
// The conditions of resource policies: Amazon's operators over the keys of a request.
#pragma once

#include <string>
#include <string_view>

#include "services/policy_document.h"

namespace services::policy {

// What can't be evaluated in a condition; "" for nothing.
std::string problem(const Condition& condition);

// `in_doubt`: the result for a condition that can't be evaluated.
bool holds(const Condition& condition, const Context& context, bool in_doubt);

// The operator without "ForAnyValue:", "ForAllValues:" and "IfExists".
std::string_view bare_operator(std::string_view name);

// Whether the address is in the network ("10.0.0.0/8", "2001:db8::/32", or one address).
bool in_network(std::string_view address, std::string_view network);

}  // namespace services::policy
