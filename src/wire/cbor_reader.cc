// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/time.h"
#include "base/utf8.h"
#include "wire/cbor.h"
#include "wire/error.h"
#include "wire/place.h"
#include "wire/text.h"
#include "wire/timestamp.h"

namespace wire {
namespace {

[[noreturn]] void reject_cbor(std::string_view message) {
  throw ApiError("SerializationException", std::string(message), 400);
}

enum Major : std::uint8_t { Unsigned, Negative, Bytes, Text, Array, Map, Tag, Simple };
enum SimpleValue : std::uint8_t {
  False = 20,
  True = 21,
  Null = 22,
  Undefined = 23,
  Half = 25,
  Single = 26,
  Double = 27
};

// The first byte of an item, and its argument.
struct Head {
  Major major;
  std::uint8_t info;  // the low five bits
  bool indefinite;
  std::uint64_t argument;  // a length, a count, a number, a tag, or a float's bits
};

// Half precision, decoded by its definition: C++ has no type for it.
double from_half(std::uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  double value = exponent == 0 ? std::ldexp(mantissa, -24)
                 : exponent == 31
                     ? (mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                     : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

double to_double(const Head& head) {
  switch (head.major) {
    case Unsigned: return static_cast<double>(head.argument);
    case Negative: return -1.0 - static_cast<double>(head.argument);
    case Simple:
      if (head.info == Half) return from_half(static_cast<std::uint16_t>(head.argument));
      if (head.info == Single) return std::bit_cast<float>(static_cast<std::uint32_t>(head.argument));
      if (head.info == Double) return std::bit_cast<double>(head.argument);
      [[fallthrough]];
    default: reject_cbor("Expected a number");
  }
}

template <class Int>
Int to_integer(const Head& head) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Int>::max());
  if (head.major == Unsigned && head.argument <= kMax) return static_cast<Int>(head.argument);
  if (head.major == Negative && head.argument <= kMax)
    return static_cast<Int>(-1 - static_cast<std::int64_t>(head.argument));
  if (head.major != Simple) reject_cbor("Expected an integer in range");
  constexpr double kLimit = -static_cast<double>(std::numeric_limits<Int>::min());
  double number = to_double(head);
  if (!(number >= -kLimit && number < kLimit) || number != std::floor(number))
    reject_cbor("Expected an integer in range");
  return static_cast<Int>(number);
}

class CborReader {
 public:
  explicit CborReader(std::string_view bytes) : rest_(bytes) {}

  void structure(const Head& head, const TypeInfo& type, void* value, const Place& place);
  Head head();
  bool done() const { return rest_.empty(); }
  std::vector<Violation> take_missing() { return std::move(missing_); }

 private:
  std::string_view take(std::uint64_t count);
  std::string text(const Head& head, Major major);
  bool at_break();
  void skip(const Head& head);
  void value(const Head& head, const TypeInfo& type, const Member& traits, void* value, const Place& place);
  void list(const Head& head, const TypeInfo& type, const Member& traits, void* value, const Place& place);
  void map(const Head& head, const TypeInfo& type, const Member& traits, void* value, const Place& place);
  static bool is_null(const Head& head) {
    return head.major == Simple && (head.info == Null || head.info == Undefined);
  }
  // Calls fn for each element of the array, or pair of the map, that starts with `head`.
  template <class Fn>
  void each(const Head& head, Fn&& fn) {
    if (++depth_ > kMaxCborDepth) reject_cbor("Nested too deeply");
    for (std::uint64_t i = 0; head.indefinite ? !at_break() : i < head.argument; ++i) fn();
    --depth_;
  }

  std::string_view rest_;
  int depth_ = 0;
  std::vector<Violation> missing_;
};

std::string_view CborReader::take(std::uint64_t count) {
  if (count > rest_.size()) reject_cbor("Unexpected end of input");
  std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

Head CborReader::head() {
  auto first = static_cast<std::uint8_t>(take(1)[0]);
  Head head{static_cast<Major>(first >> 5), static_cast<std::uint8_t>(first & 31), false, 0};
  if (head.info < 24) {
    head.argument = head.info;
  } else if (head.info < 28) {
    for (char byte : take(std::size_t{1} << (head.info - 24))) {
      head.argument = head.argument << 8 | static_cast<std::uint8_t>(byte);
    }
  } else if (head.info == 31 && head.major >= Bytes && head.major <= Map) {
    head.indefinite = true;
  } else {
    reject_cbor("Malformed CBOR");
  }
  return head;
}

// Consumes the byte that ends an item of indefinite length, if it is next.
bool CborReader::at_break() {
  if (rest_.empty()) reject_cbor("Unexpected end of input");
  if (static_cast<std::uint8_t>(rest_[0]) != 0xFF) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string CborReader::text(const Head& head, Major major) {
  if (head.major != major) reject_cbor(major == Text ? "Expected a string" : "Expected a byte string");
  std::string result;
  if (!head.indefinite) {
    result = take(head.argument);
  } else {
    while (!at_break()) {
      Head chunk = this->head();
      if (chunk.major != major || chunk.indefinite) reject_cbor("Malformed CBOR");
      result += take(chunk.argument);
    }
  }
  if (major == Text && !base::is_utf8(result)) reject_cbor("A string is not UTF-8");
  return result;
}

void CborReader::skip(const Head& head) {
  switch (head.major) {
    case Unsigned:
    case Negative:
    case Simple: return;
    case Bytes:
    case Text: text(head, head.major); return;
    case Array: return each(head, [&] { skip(this->head()); });
    case Map:
      return each(head, [&] {
        skip(this->head());
        skip(this->head());
      });
    case Tag: {
      Head one{Array, 1, false, 1};
      return each(one, [&] { skip(this->head()); });
    }
  }
}

void CborReader::structure(const Head& head, const TypeInfo& type, void* value, const Place& place) {
  if (head.major != Map) reject_cbor("Expected a map");
  std::uint64_t seen = 0;
  each(head, [&] {
    std::string name = text(this->head(), Text);
    const Field* field = type.find(name);
    Head held = this->head();
    if (!field || is_null(held)) return skip(held);
    seen |= field->required_bit;
    Place at{&place, Place::InStruct, field->name};
    this->value(held, *field->type, *field->traits, field->make(*field, value), at);
  });
  if (type.required_bits & ~seen) note_missing(type, seen, place, missing_);
}

void CborReader::list(const Head& head, const TypeInfo& type, const Member& traits, void* value, const Place& place) {
  if (head.major != Array) reject_cbor("Expected a list");
  std::size_t index = 0;
  each(head, [&] {
    Head held = this->head();
    if (is_null(held)) return;
    Place at{&place, Place::InList, {}, ++index};
    this->value(held, *type.element, element_traits(traits), type.append(type, value), at);
  });
}

void CborReader::map(const Head& head, const TypeInfo& type, const Member& traits, void* value, const Place& place) {
  if (head.major != Map) reject_cbor("Expected a map");
  each(head, [&] {
    std::string key = text(this->head(), Text);
    Head held = this->head();
    if (is_null(held)) return;
    void* slot = type.insert(type, value, std::string(key));
    this->value(held, *type.element, element_traits(traits), slot, {&place, Place::InMap, key});
  });
}

void CborReader::value(const Head& first, const TypeInfo& type, const Member& traits, void* value, const Place& place) {
  Head head = first;
  // Tag 1 is a time; other tags add nothing to the table.
  for (int tags = 0; head.major == Tag; head = this->head()) {
    if (++tags > kMaxCborDepth || (head.argument == 1) != (type.kind == Kind::Time)) reject_cbor("Unexpected tag");
  }
  switch (type.kind) {
    case Kind::String: *static_cast<std::string*>(value) = text(head, Text); return;
    case Kind::Blob: static_cast<base::Blob*>(value)->bytes = text(head, Bytes); return;
    case Kind::Bool:
      if (head.major != Simple || (head.info != False && head.info != True)) reject_cbor("Expected a boolean");
      *static_cast<bool*>(value) = head.info == True;
      return;
    case Kind::Int32: *static_cast<std::int32_t*>(value) = to_integer<std::int32_t>(head); return;
    case Kind::Int64: *static_cast<std::int64_t*>(value) = to_integer<std::int64_t>(head); return;
    case Kind::Float: *static_cast<float*>(value) = static_cast<float>(to_double(head)); return;
    case Kind::Double: *static_cast<double*>(value) = to_double(head); return;
    case Kind::Time: {
      auto time = from_epoch(to_double(head));
      if (!time) reject_cbor("Expected a timestamp");
      *static_cast<base::Time*>(value) = *time;
      return;
    }
    case Kind::List: return list(head, type, traits, value, place);
    case Kind::Map: return map(head, type, traits, value, place);
    case Kind::Struct: return structure(head, type, value, place);
  }
}

}  // namespace

std::vector<Violation> read_cbor(const TypeInfo& type, std::string_view bytes, void* value) {
  if (bytes.empty()) bytes = "\xA0";
  CborReader reader(bytes);
  reader.structure(reader.head(), type, value, Place{});
  if (!reader.done()) reject_cbor("Unexpected bytes after the end");
  return reader.take_missing();
}

}  // namespace wire
