// SPDX-License-Identifier: Apache-2.0
// JSON objects in which a name occurs twice. Parsers disagree on which value counts, so a policy must not have one.
#pragma once

#include <string_view>

namespace wire {

// Of valid JSON; false for any other text.
bool has_repeated_members(std::string_view json);

}  // namespace wire
