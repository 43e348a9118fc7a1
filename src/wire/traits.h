// SPDX-License-Identifier: Apache-2.0
// What a shape's C++ type cannot express: names on the wire, where a member travels,
// and its allowed values. Tables of constants beside the structs:
//
//   template <>
//   inline constexpr auto wire::kTraits<shapes::sqs::SendMessageRequest> = wire::traits({
//       {.member = "QueueUrl", .required = true},
//       {.member = "MessageAttributes", .xml = "MessageAttribute", .flattened = true, .key = "Name", .value = "Value"},
//   });
//
// A member without traits has no line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace wire {

// Where a member of a restXml request or response travels.
enum class In : std::uint8_t { Body, Header, Headers, Label, Query, StatusCode };

// Default is the protocol's format: epoch seconds in JSON and CBOR, ISO 8601 in
// query and XML, RFC 822 in headers.
enum class TimeFormat : std::uint8_t { Default, Iso8601, Rfc822, Unix };

inline constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

// One member; or, behind `of` and `keys`, one element of a list or a map.
struct Member {
  std::string_view member = {};           // the struct member's name in C++
  bool required = false;                  // such members are plain, all others std::optional
  std::string_view name = {};             // Amazon's name, if C++ reserves it ("namespace")
  std::string_view xml = {};              // the name in query and XML, if it differs
  std::string_view ec2 = {};              // the name in an ec2 request, if it differs
  bool flattened = false;                 // list and map: no wrapping element
  std::string_view item = {};             // list: an element's XML name; "" = "member"
  std::string_view key = {}, value = {};  // map: "" = "key" and "value"
  bool attribute = false;                 // an XML attribute of the parent element
  std::string_view xmlns = {};            // the XML namespace of the element
  std::string_view xmlns_prefix = {};     // and its prefix
  In in = In::Body;                       // restXml: the location
  std::string_view at = {};               // restXml: name of the header, label or query key; prefix of In::Headers
  TimeFormat time = TimeFormat::Default;
  std::span<const std::string_view> one_of = {};  // the values of an enumeration
  std::int64_t min = kNoMin;                      // bounds of a number's value, or of the length
  std::int64_t max = kNoMax;                      // of a string, blob, list or map
  std::string_view pattern = {};                  // ECMAScript; must match the whole text
  bool secret = false;                            // never logged
  const Member* of = nullptr;                     // list: each element; map: each value
  const Member* keys = nullptr;                   // map: each key
};

// A whole struct.
struct Structure {
  std::string_view xml = {};    // the root element's name, if it is not the shape's
  std::string_view xmlns = {};  // its namespace, if it is not the service's
  std::string_view xmlns_prefix = {};
  std::string_view payload = {};  // restXml: the member that is the whole body
  bool unwrapped = false;         // restXml: its only member is the text of the root element
};

template <std::size_t N>
struct Traits {
  Structure structure;
  std::array<Member, N> members;
};

template <class T>
inline constexpr Traits<0> kTraits{};

template <std::size_t N>
constexpr Traits<N> traits(const Structure& structure, const Member (&members)[N]) {
  Traits<N> result{structure, {}};
  for (std::size_t i = 0; i < N; ++i) result.members[i] = members[i];
  return result;
}

template <std::size_t N>
constexpr Traits<N> traits(const Member (&members)[N]) {
  return traits(Structure{}, members);
}

constexpr Traits<0> traits(const Structure& structure) { return {structure, {}}; }

// The storage of a shape's table. type_of.h instantiates it, in one source per shape.
struct TypeInfo;
namespace detail {
template <class T>
struct Table {
  static const TypeInfo value;
};
}  // namespace detail

}  // namespace wire
