// SPDX-License-Identifier: Apache-2.0
#include "wire/type.h"

#include "base/check.h"

namespace wire {

const Field* TypeInfo::find(std::string_view field_name) const {
  for (const Field& field : fields) {
    if (field.name == field_name) return &field;
  }
  return nullptr;
}

void finish_struct(TypeInfo& type) {
  int required = 0;
  for (Field& field : type.fields) {
    if (field.traits->required) {
      CHECK(required < 64) << type.name << " has more than 64 required members";
      field.required_bit = std::uint64_t{1} << required++;
      type.required_bits |= field.required_bit;
    }
    if (field.traits->in != In::Body) type.has_bindings = true;
    if (!type.structure.payload.empty() && field.name == type.structure.payload) type.payload = &field;
  }
}

}  // namespace wire
