// SPDX-License-Identifier: Apache-2.0
#include "wire/event_stream.h"

#include "base/check.h"
#include "base/checksum.h"

namespace wire {
namespace {

constexpr char kStringType = 7;
constexpr std::size_t kPrelude = 8, kChecksum = 4;

void put_big_endian(std::string& out, std::size_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

std::string crc32(std::string_view bytes) {
  base::Hasher hasher(base::Checksum::Crc32);
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace

std::string encode_event(std::initializer_list<EventHeader> headers, std::string_view payload) {
  std::string block;
  for (const auto& [name, value] : headers) {
    CHECK(name.size() <= 255 && value.size() <= 32767) << "an event header is too long";
    put_big_endian(block, name.size(), 1);
    block += name;
    block += kStringType;
    put_big_endian(block, value.size(), 2);
    block += value;
  }
  std::string frame;
  put_big_endian(frame, kPrelude + kChecksum + block.size() + payload.size() + kChecksum, 4);
  put_big_endian(frame, block.size(), 4);
  frame += crc32(frame);
  frame += block;
  frame += payload;
  frame += crc32(frame);
  return frame;
}

}  // namespace wire
