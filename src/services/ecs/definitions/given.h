// SPDX-License-Identifier: Apache-2.0
// Whether a request has a member that is not empty: clients send empty lists for absent ones.
#pragma once

#include <optional>

namespace services::ecs {

template <class T>
bool given(const std::optional<T>& member) {
  return member && !member->empty();
}

}  // namespace services::ecs
