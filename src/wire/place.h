// SPDX-License-Identifier: Apache-2.0
// A decoder's position in a request, as a chain of stack frames: it costs nothing
// until an error needs the path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/validate.h"

namespace wire {

struct Place {
  enum Kind : std::uint8_t { Root, InStruct, InList, InMap };

  const Place* up = nullptr;
  Kind kind = Root;
  std::string_view name = {};  // the member's name, or the key
  std::size_t index = 0;       // in a list, from 1

  // "entries.1.member.id": names start in lower case, lists count from 1.
  std::string path() const;
};

// Adds a violation for each required member of the struct at `place` that is not in `seen`.
void note_missing(const TypeInfo& type, std::uint64_t seen, const Place& place, std::vector<Violation>& missing);

}  // namespace wire
