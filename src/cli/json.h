// SPDX-License-Identifier: Apache-2.0
// Prints described structs as JSON, for --json.
#pragma once

#include <boost/describe/class.hpp>
#include <ostream>
#include <string>

#include "wire/json.h"
#include "wire/type_of.h"

namespace cli {

template <class T>
void print_json(std::ostream& out, const T& value) {
  std::string text;
  wire::write_json(wire::type_of<T>(), &value, text);
  out << text << '\n';
}

// The reply to a deletion, where the server's is empty.
struct PrintedId {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(PrintedId, (), (id))

}  // namespace cli
