// SPDX-License-Identifier: Apache-2.0
// What a shape's C++ type can't say: names on the wire, where a member travels,
// and what values it may have. Tables of constants beside the structs:
//
//   template <>
//   inline constexpr auto wire::kTraits<shapes::sqs::SendMessageRequest> = wire::traits({
//       {.member = "QueueUrl", .required = true},
//       {.member = "MessageAttributes", .xml = "MessageAttribute", .flattened = true, .key = "Name", .value = "Value"},
//   });
//
// A member that has nothing to say has no line.
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

// Default is the protocol's own: epoch seconds in JSON and CBOR, ISO 8601 in
// query and XML, RFC 822 in headers.
enum class TimeFormat : std::uint8_t { Default, Iso8601, Rfc822, Unix };

inline constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

// One member; or, as what `of` and `keys` point to, one element of a list or a map.
struct Member {
  std::string_view member = {};           // the struct member's name in C++
  bool required = false;                  // such members are plain, all others std::optional
  std::string_view name = {};             // Amazon's name, where C++ can't spell it ("namespace")
  std::string_view xml = {};              // the name in query and XML, where it is another
  std::string_view ec2 = {};              // the name in an ec2 request, where it is yet another
  bool flattened = false;                 // list and map: no wrapping element
  std::string_view item = {};             // list: an element's XML name, "member" where empty
  std::string_view key = {}, value = {};  // map: "key" and "value" where empty
  bool attribute = false;                 // an XML attribute of the element around it
  std::string_view xmlns = {};            // the XML namespace of the element
  std::string_view xmlns_prefix = {};     // and its prefix
  In in = In::Body;                       // restXml: where,
  std::string_view at = {};               // and the header's, label's or query key's name, or the prefix of In::Headers
  TimeFormat time = TimeFormat::Default;
  std::span<const std::string_view> one_of = {};  // the values of an enumeration
  std::int64_t min = kNoMin;                      // of a number its value, of a string, blob,
  std::int64_t max = kNoMax;                      // list or map its length
  std::string_view pattern = {};                  // ECMAScript, to be matched whole
  bool secret = false;                            // never logged
  const Member* of = nullptr;                     // list: each element; map: each value
  const Member* keys = nullptr;                   // map: each key
};

// A whole struct.
struct Structure {
  std::string_view xml = {};    // the root element's name, where it is not the shape's
  std::string_view xmlns = {};  // and its namespace, where it is not the service's
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

// Where a shape's table is: type_of.h makes it, in the one file that asks for it.
struct TypeInfo;
namespace detail {
template <class T>
struct Table {
  static const TypeInfo value;
};
}  // namespace detail

}  // namespace wire
