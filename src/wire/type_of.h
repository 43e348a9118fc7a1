// SPDX-License-Identifier: Apache-2.0
// type_of<T>(): the table of a shape, built once before main from Boost.Describe
// and wire::kTraits.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/boxed.h"
#include "wire/type.h"

namespace wire {

template <class T>
constexpr const TypeInfo& type_of();

namespace detail {

template <class T>
struct ListOf;  // undefined: T is not a list
template <class T>
struct ListOf<std::vector<T>> {
  using Element = T;
  static std::size_t size(const TypeInfo&, const void* list) {
    return static_cast<const std::vector<T>*>(list)->size();
  }
  static void* append(const TypeInfo&, void* list) { return &static_cast<std::vector<T>*>(list)->emplace_back(); }
  static const void* at(const TypeInfo&, const void* list, std::size_t i) {
    return &(*static_cast<const std::vector<T>*>(list))[i];
  }
};
// Its elements have no addresses.
template <>
struct ListOf<std::vector<bool>>;

template <class T>
struct MapOf;
template <class T>
struct MapOf<std::map<std::string, T>> {
  using Map = std::map<std::string, T>;
  using Element = T;
  static std::size_t size(const TypeInfo&, const void* map) { return static_cast<const Map*>(map)->size(); }
  static void* insert(const TypeInfo&, void* map, std::string&& key) {
    T& value = (*static_cast<Map*>(map))[std::move(key)];
    value = T();
    return &value;
  }
  static void each(const TypeInfo&, const void* map, TypeInfo::Visit visit, void* context) {
    for (const auto& [key, value] : *static_cast<const Map*>(map)) visit(context, key, &value);
  }
};

// How a member of type M holds its value.
template <class M>
struct Holder {
  using Value = M;
  static const void* get(const Field& field, const void* structure) {
    return static_cast<const char*>(structure) + field.offset;
  }
  static void* make(const Field& field, void* structure) { return static_cast<char*>(structure) + field.offset; }
};
template <class T>
struct Holder<std::optional<T>> {
  using Value = T;
  static const void* get(const Field& field, const void* structure) {
    const auto* member = reinterpret_cast<const std::optional<T>*>(static_cast<const char*>(structure) + field.offset);
    return *member ? &**member : nullptr;
  }
  static void* make(const Field& field, void* structure) {
    auto* member = reinterpret_cast<std::optional<T>*>(static_cast<char*>(structure) + field.offset);
    if (!*member) member->emplace();
    return &**member;
  }
};
template <class T>
struct Holder<std::optional<Boxed<T>>> {
  using Value = T;
  static const void* get(const Field& field, const void* structure) {
    const auto* member =
        reinterpret_cast<const std::optional<Boxed<T>>*>(static_cast<const char*>(structure) + field.offset);
    return *member ? &***member : nullptr;
  }
  static void* make(const Field& field, void* structure) {
    auto* member = reinterpret_cast<std::optional<Boxed<T>>*>(static_cast<char*>(structure) + field.offset);
    if (!*member) member->emplace();
    return &***member;
  }
};

template <class T>
constexpr std::optional<Kind> scalar_kind() {
  if constexpr (std::is_same_v<T, std::string>) return Kind::String;
  if constexpr (std::is_same_v<T, bool>) return Kind::Bool;
  if constexpr (std::is_same_v<T, std::int32_t>) return Kind::Int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Kind::Int64;
  if constexpr (std::is_same_v<T, float>) return Kind::Float;
  if constexpr (std::is_same_v<T, double>) return Kind::Double;
  if constexpr (std::is_same_v<T, base::Time>) return Kind::Time;
  if constexpr (std::is_same_v<T, base::Blob>) return Kind::Blob;
  return std::nullopt;
}

template <class T>
concept List = requires {
  typename ListOf<T>::Element;
};
template <class T>
concept Map = requires {
  typename MapOf<T>::Element;
};

template <class T>
const Member* member_traits(std::string_view name) {
  for (const Member& member : kTraits<T>.members) {
    if (member.member == name) return &member;
  }
  return &kNoTraits;
}

template <class T>
std::vector<Field> make_fields() {
  // Offsets are measured on a real object: there is no other portable way from a
  // pointer to member.
  static const T sample{};
  std::vector<Field> fields;
  using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>([&](auto descriptor) {
    const auto& member = sample.*descriptor.pointer;
    using Held = Holder<std::remove_cvref_t<decltype(member)>>;
    Field field;
    field.traits = member_traits<T>(descriptor.name);
    field.name = field.traits->name.empty() ? std::string_view(descriptor.name) : field.traits->name;
    field.type = &type_of<typename Held::Value>();
    field.offset = reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&sample);
    field.get = Held::get;
    field.make = Held::make;
    fields.push_back(field);
  });
  return fields;
}

// "shapes::sqs::Message" -> "Message"
template <class T>
constexpr std::string_view short_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  std::size_t start = text.find("T = ") + 4;
  std::string_view name = text.substr(start, text.find_first_of(";]", start) - start);
  std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

template <class T>
TypeInfo make_type() {
  TypeInfo type;
  if constexpr (scalar_kind<T>()) {
    type.kind = *scalar_kind<T>();
  } else if constexpr (List<T>) {
    type.kind = Kind::List;
    type.element = &type_of<typename ListOf<T>::Element>();
    type.size = ListOf<T>::size;
    type.append = ListOf<T>::append;
    type.at = ListOf<T>::at;
  } else if constexpr (Map<T>) {
    type.kind = Kind::Map;
    type.element = &type_of<typename MapOf<T>::Element>();
    type.size = MapOf<T>::size;
    type.insert = MapOf<T>::insert;
    type.each = MapOf<T>::each;
  } else {
    type.kind = Kind::Struct;
    type.name = short_name<T>();
    type.structure = kTraits<T>.structure;
    type.fields = make_fields<T>();
    finish_struct(type);
  }
  return type;
}

// Initialized before main in unspecified order. Tables refer to others only by address,
// so shapes may contain themselves.
template <class T>
const TypeInfo Table<T>::value = make_type<T>();

}  // namespace detail

template <class T>
constexpr const TypeInfo& type_of() {
  return detail::Table<T>::value;
}

}  // namespace wire
