// SPDX-License-Identifier: Apache-2.0
// The data channel of Session Manager: one binary message, as session-manager-plugin reads and writes it. All numbers
// are big endian:
//   length of the header (116), type (32 bytes, space padded), schema version, creation time in ms, sequence number,
//   flags, UUID (low half first), SHA-256 of the payload, type of the payload, length of the payload, payload
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace datachannel {

inline constexpr std::string_view kInput = "input_stream_data";    // client to server; acknowledged
inline constexpr std::string_view kOutput = "output_stream_data";  // server to client; acknowledged
inline constexpr std::string_view kAcknowledge = "acknowledge";
inline constexpr std::string_view kChannelClosed = "channel_closed";
inline constexpr std::string_view kStartPublication = "start_publication";
inline constexpr std::string_view kPausePublication = "pause_publication";

enum class PayloadType : std::uint32_t {
  None = 0,
  Output = 1,  // keys in one direction, output in the other
  Error = 2,
  Size = 3,
  Parameter = 4,
  HandshakeRequest = 5,
  HandshakeResponse = 6,
  HandshakeComplete = 7,
  EncryptionChallengeRequest = 8,
  EncryptionChallengeResponse = 9,
  Flag = 10,
  StdErr = 11,
  ExitCode = 12,
};

inline constexpr std::uint64_t kSyn = 1, kFin = 2;

// Both stock sides cut streams into pieces of this size.
inline constexpr std::size_t kPieceBytes = 1024;
// Longer payloads are rejected.
inline constexpr std::size_t kMaxPayloadBytes = 64 * 1024;

struct Message {
  std::string type;
  std::uint32_t schema_version = 1;
  std::int64_t created_ms = 0;  // 0 is invalid
  std::int64_t sequence = 0;
  std::uint64_t flags = 0;
  std::string id;  // a UUID, as text
  PayloadType payload_type = PayloadType::None;
  std::string payload = {};

  bool operator==(const Message&) const = default;
};

// The type has at most 32 bytes and the id is a UUID.
std::string encode(const Message& message);
base::Result<Message> decode(std::string_view bytes);

// The payload of PayloadType::Flag.
enum class Flag : std::uint32_t {
  DisconnectToPort = 1,
  TerminateSession = 2,
  ConnectToPortError = 3,
  EndOfInput = 1001,  // Stoker's own: standard input has ended
};
std::string encode_flag(Flag flag);
base::Result<Flag> decode_flag(std::string_view payload);

}  // namespace datachannel
