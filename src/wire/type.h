// SPDX-License-Identifier: Apache-2.0
// Shapes as run-time tables: what a codec walks. A value is a void* whose type the
// table tells; a TypeInfo is made from a described struct (type_of.h), or by hand.
//
// A value's representation by kind: std::string, bool, std::int32_t, std::int64_t,
// float, double, base::Time, base::Blob. Lists, maps and structs are known only
// through the functions below, which get their own table as an argument: whoever
// makes a table at run time chooses how its values are laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/traits.h"

namespace wire {

enum class Kind : std::uint8_t { String, Bool, Int32, Int64, Float, Double, Time, Blob, List, Map, Struct };

struct TypeInfo;

// A member of a struct.
struct Field {
  std::string_view name;  // Amazon's spelling
  const TypeInfo* type = nullptr;
  const Member* traits = nullptr;  // never null
  std::size_t offset = 0;          // for the two functions below
  std::uint64_t required_bit = 0;  // one bit for each required member, none for the others
  // The member's value; nullptr when it is absent.
  const void* (*get)(const Field&, const void* structure) = nullptr;
  // The member's value. Creates it if it is absent.
  void* (*make)(const Field&, void* structure) = nullptr;
};

struct TypeInfo {
  // Calls back with each key and value of a map, in order.
  using Visit = void (*)(void* context, const std::string& key, const void* value);

  Kind kind = Kind::Struct;
  std::string_view name;              // of a struct: Amazon's name of the shape
  const TypeInfo* element = nullptr;  // of a list its elements, of a map its values
  Structure structure;
  std::vector<Field> fields;        // of a struct
  std::uint64_t required_bits = 0;  // all the required members
  const Field* payload = nullptr;   // the member that is the whole body (restXml)
  bool has_bindings = false;        // a member travels outside the body (restXml)

  // Lists. `append` returns the new last element, `at` element i.
  std::size_t (*size)(const TypeInfo&, const void* list_or_map) = nullptr;
  void* (*append)(const TypeInfo&, void* list) = nullptr;
  const void* (*at)(const TypeInfo&, const void* list, std::size_t i) = nullptr;
  // Maps. `insert` returns a new value for the key.
  void* (*insert)(const TypeInfo&, void* map, std::string&& key) = nullptr;
  void (*each)(const TypeInfo&, const void* map, Visit visit, void* context) = nullptr;

  // The field with this name in JSON and CBOR, or nullptr.
  const Field* find(std::string_view field_name) const;
};

// Calls fn(key, value) for each entry of a map.
template <class Fn>
void for_each_entry(const TypeInfo& type, const void* map, Fn&& fn) {
  auto visit = [](void* context, const std::string& key, const void* value) {
    (*static_cast<std::remove_reference_t<Fn>*>(context))(key, value);
  };
  type.each(type, map, visit, const_cast<void*>(static_cast<const void*>(&fn)));
}

// Derives required bits, payload and bindings from the fields.
void finish_struct(TypeInfo& type);

// The traits of an element of a list, of a map's keys and values; never null.
inline constexpr Member kNoTraits{};
inline const Member& element_traits(const Member& list_or_map) { return list_or_map.of ? *list_or_map.of : kNoTraits; }
inline const Member& key_traits(const Member& map) { return map.keys ? *map.keys : kNoTraits; }

}  // namespace wire
