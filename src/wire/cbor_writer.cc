// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/cbor.h"

namespace wire {
namespace {

void write_big_endian(std::uint64_t number, int bytes, std::string& out) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

void write_head(int major, std::uint64_t argument, std::string& out) {
  auto first = static_cast<char>(major << 5);
  if (argument < 24) {
    out += static_cast<char>(first | static_cast<char>(argument));
    return;
  }
  int size = argument <= 0xFF ? 0 : argument <= 0xFFFF ? 1 : argument <= 0xFFFFFFFF ? 2 : 3;
  out += static_cast<char>(first | (24 + size));
  write_big_endian(argument, 1 << size, out);
}

void write_integer(std::int64_t number, std::string& out) {
  if (number >= 0) return write_head(0, static_cast<std::uint64_t>(number), out);
  write_head(1, static_cast<std::uint64_t>(-1 - number), out);
}

void write_double(double number, std::string& out) {
  out += '\xFB';
  write_big_endian(std::bit_cast<std::uint64_t>(number), 8, out);
}

void write_cbor_float(float number, std::string& out) {
  out += '\xFA';
  write_big_endian(std::bit_cast<std::uint32_t>(number), 4, out);
}

void write_cbor_time(base::Time time, std::string& out) {
  out += '\xC1';
  std::int64_t millis = base::to_millis(time);
  if (millis % 1000 == 0) return write_integer(millis / 1000, out);
  write_double(static_cast<double>(millis) / 1000, out);
}

void write_cbor_value(const TypeInfo& type, const void* value, std::string& out);

void write_cbor_struct(const TypeInfo& type, const void* value, std::string& out) {
  std::size_t count = 0;
  for (const Field& field : type.fields) count += field.get(field, value) != nullptr;
  write_head(5, count, out);
  for (const Field& field : type.fields) {
    const void* member = field.get(field, value);
    if (!member) continue;
    write_cbor_text(field.name, out);
    write_cbor_value(*field.type, member, out);
  }
}

void write_cbor_list(const TypeInfo& type, const void* value, std::string& out) {
  std::size_t count = type.size(type, value);
  write_head(4, count, out);
  for (std::size_t i = 0; i < count; ++i) write_cbor_value(*type.element, type.at(type, value, i), out);
}

void write_cbor_map(const TypeInfo& type, const void* value, std::string& out) {
  write_head(5, type.size(type, value), out);
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    write_cbor_text(key, out);
    write_cbor_value(*type.element, element, out);
  });
}

void write_cbor_value(const TypeInfo& type, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::String: return write_cbor_text(*static_cast<const std::string*>(value), out);
    case Kind::Bool: out += *static_cast<const bool*>(value) ? '\xF5' : '\xF4'; return;
    case Kind::Int32: return write_integer(*static_cast<const std::int32_t*>(value), out);
    case Kind::Int64: return write_integer(*static_cast<const std::int64_t*>(value), out);
    case Kind::Float: return write_cbor_float(*static_cast<const float*>(value), out);
    case Kind::Double: return write_double(*static_cast<const double*>(value), out);
    case Kind::Time: return write_cbor_time(*static_cast<const base::Time*>(value), out);
    case Kind::Blob: {
      const std::string& bytes = static_cast<const base::Blob*>(value)->bytes;
      write_head(2, bytes.size(), out);
      out += bytes;
      return;
    }
    case Kind::List: return write_cbor_list(type, value, out);
    case Kind::Map: return write_cbor_map(type, value, out);
    case Kind::Struct: return write_cbor_struct(type, value, out);
  }
}

}  // namespace

void write_cbor(const TypeInfo& type, const void* value, std::string& out) { write_cbor_struct(type, value, out); }

void write_cbor_map_head(std::size_t count, std::string& out) { write_head(5, count, out); }

void write_cbor_text(std::string_view text, std::string& out) {
  write_head(3, text.size(), out);
  out += text;
}

}  // namespace wire
