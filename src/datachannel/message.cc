// SPDX-License-Identifier: Apache-2.0
#include "datachannel/message.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace datachannel {
namespace {

constexpr std::uint32_t kHeaderLength = 116;
constexpr std::size_t kTypeBytes = 32, kIdBytes = 16, kDigestBytes = 32;
constexpr std::size_t kPayloadAt = kHeaderLength + 4;

template <class T>
void append(T number, std::string& out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff);
  }
}

// Removes a number from the front of bytes that are long enough.
template <class T>
T take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(sizeof(T));
  return static_cast<T>(number);
}

std::string_view take(std::string_view& bytes, std::size_t count) {
  const std::string_view front = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return front;
}

std::string id_bytes(std::string_view id) {
  std::string digits(id);
  std::erase(digits, '-');
  const auto bytes = base::from_hex(digits);
  CHECK(bytes && bytes->size() == kIdBytes) << "not a UUID: " << id;
  return bytes->substr(kIdBytes / 2) + bytes->substr(0, kIdBytes / 2);
}

std::string id_text(std::string_view bytes) {
  const std::string hex =
      base::to_hex(std::string(bytes.substr(kIdBytes / 2)) + std::string(bytes.substr(0, kIdBytes / 2)));
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

// Written with spaces; some writers pad with zeros.
std::string type_text(std::string_view bytes) {
  const auto end = bytes.find_last_not_of(std::string_view("\0 ", 2));
  return end == bytes.npos ? std::string() : std::string(bytes.substr(0, end + 1));
}

}  // namespace

std::string encode(const Message& message) {
  CHECK(message.type.size() <= kTypeBytes) << "type too long: " << message.type;
  std::string out;
  out.reserve(kPayloadAt + message.payload.size());
  append(kHeaderLength, out);
  out += message.type;
  out.append(kTypeBytes - message.type.size(), ' ');
  append(message.schema_version, out);
  append(message.created_ms, out);
  append(message.sequence, out);
  append(message.flags, out);
  out += id_bytes(message.id);
  out += base::sha256(message.payload);
  append(static_cast<std::uint32_t>(message.payload_type), out);
  append(static_cast<std::uint32_t>(message.payload.size()), out);
  out += message.payload;
  return out;
}

base::Result<Message> decode(std::string_view bytes) {
  if (bytes.size() < kPayloadAt) return base::Error{"the message is shorter than its header"};
  if (bytes.size() > kPayloadAt + kMaxPayloadBytes) return base::Error{"the payload is too long"};
  if (take<std::uint32_t>(bytes) != kHeaderLength) return base::Error{"unsupported header length"};
  Message message;
  message.type = type_text(take(bytes, kTypeBytes));
  if (message.type.empty()) return base::Error{"MessageType is missing"};
  message.schema_version = take<std::uint32_t>(bytes);
  message.created_ms = take<std::int64_t>(bytes);
  if (message.created_ms == 0) return base::Error{"CreatedDate is missing"};
  message.sequence = take<std::int64_t>(bytes);
  message.flags = take<std::uint64_t>(bytes);
  message.id = id_text(take(bytes, kIdBytes));
  const std::string_view digest = take(bytes, kDigestBytes);
  message.payload_type = static_cast<PayloadType>(take<std::uint32_t>(bytes));
  const auto length = take<std::uint32_t>(bytes);
  if (length != bytes.size()) return base::Error{"PayloadLength differs from the payload's length"};
  if (length != 0 && base::sha256(bytes) != digest) return base::Error{"payload Hash is not valid"};
  message.payload = bytes;
  return message;
}

std::string encode_flag(Flag flag) {
  std::string out;
  append(static_cast<std::uint32_t>(flag), out);
  return out;
}

base::Result<Flag> decode_flag(std::string_view payload) {
  if (payload.size() != sizeof(std::uint32_t)) return base::Error{"invalid flag"};
  return static_cast<Flag>(take<std::uint32_t>(payload));
}

}  // namespace datachannel
