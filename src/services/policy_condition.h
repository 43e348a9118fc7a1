// SPDX-License-Identifier: Apache-2.0
// The conditions of resource policies: Amazon's operators over what is known of a request.
#pragma once

#include <string>
#include <string_view>

#include "services/policy_document.h"

namespace services::policy {

// "" where it can be evaluated, else what it is that can't be.
std::string problem(const Condition& condition);

// `in_doubt`: the answer for a condition that can't be evaluated.
bool holds(const Condition& condition, const Context& context, bool in_doubt);

// Its operator without "ForAnyValue:", "ForAllValues:" and "IfExists".
std::string_view bare_operator(std::string_view name);

// Is the address in the network ("10.0.0.0/8", "2001:db8::/32", or one address)?
bool in_network(std::string_view address, std::string_view network);

}  // namespace services::policy
