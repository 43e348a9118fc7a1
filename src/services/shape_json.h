// SPDX-License-Identifier: Apache-2.0
// Shapes as JSON in the database, by the same tables as on the wire.
#pragma once

#include <string>
#include <string_view>

#include "wire/json.h"
#include "wire/type_of.h"

namespace services {

template <class T>
std::string to_json(const T& value) {
  std::string out;
  wire::write_json(wire::type_of<T>(), &value, out);
  return out;
}

template <class T>
T from_json(std::string_view text) {
  T value;
  wire::read_json(wire::type_of<T>(), text, &value);
  return value;
}

}  // namespace services
