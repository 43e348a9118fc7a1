// SPDX-License-Identifier: Apache-2.0
// The JSON of the data channel, in Amazon's spelling.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datachannel/message.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace datachannel {

// A client's first message, as text: what it was given by ExecuteCommand or ResumeSession.
struct OpenDataChannelInput {
  std::string MessageSchemaVersion, RequestId, TokenValue, ClientId, ClientVersion;
};
BOOST_DESCRIBE_STRUCT(OpenDataChannelInput, (), (MessageSchemaVersion, RequestId, TokenValue, ClientId, ClientVersion))

struct AcknowledgeContent {
  std::string AcknowledgedMessageType, AcknowledgedMessageId;
  std::int64_t AcknowledgedMessageSequenceNumber = 0;
  bool IsSequentialMessage = true;
};
BOOST_DESCRIBE_STRUCT(AcknowledgeContent, (),
                      (AcknowledgedMessageType, AcknowledgedMessageId, AcknowledgedMessageSequenceNumber,
                       IsSequentialMessage))

struct ChannelClosed {
  std::string MessageType, MessageId, DestinationId, SessionId;
  std::int32_t SchemaVersion = 1;
  std::string CreatedDate, Output;
};
BOOST_DESCRIBE_STRUCT(ChannelClosed, (),
                      (MessageType, MessageId, DestinationId, SessionId, SchemaVersion, CreatedDate, Output))

struct SessionTypeProperties {
  std::optional<std::string> commands;
};
BOOST_DESCRIBE_STRUCT(SessionTypeProperties, (), (commands))

struct SessionTypeParameters {
  std::string SessionType;
  SessionTypeProperties Properties;
};
BOOST_DESCRIBE_STRUCT(SessionTypeParameters, (), (SessionType, Properties))

struct RequestedClientAction {
  std::string ActionType;
  SessionTypeParameters ActionParameters;
};
BOOST_DESCRIBE_STRUCT(RequestedClientAction, (), (ActionType, ActionParameters))

struct HandshakeRequest {
  std::string AgentVersion;
  std::vector<RequestedClientAction> RequestedClientActions;
};
BOOST_DESCRIBE_STRUCT(HandshakeRequest, (), (AgentVersion, RequestedClientActions))

inline constexpr std::int32_t kActionSucceeded = 1, kActionFailed = 2, kActionUnsupported = 3;

struct ProcessedClientAction {
  std::string ActionType;
  std::int32_t ActionStatus = 0;
  std::optional<std::string> Error;
};
BOOST_DESCRIBE_STRUCT(ProcessedClientAction, (), (ActionType, ActionStatus, Error))

struct HandshakeResponse {
  std::string ClientVersion;
  std::vector<ProcessedClientAction> ProcessedClientActions;
  std::vector<std::string> Errors;
};
BOOST_DESCRIBE_STRUCT(HandshakeResponse, (), (ClientVersion, ProcessedClientActions, Errors))

struct HandshakeComplete {
  std::int64_t HandshakeTimeToComplete = 0;  // ns; the plugin hangs on anything but an integer
  std::optional<std::string> CustomerMessage;
};
BOOST_DESCRIBE_STRUCT(HandshakeComplete, (), (HandshakeTimeToComplete, CustomerMessage))

struct TerminalSize {
  std::int32_t cols = 0, rows = 0;
};
BOOST_DESCRIBE_STRUCT(TerminalSize, (), (cols, rows))

template <class T>
std::string to_json(const T& value) {
  std::string out;
  wire::write_json(wire::type_of<T>(), &value, out);
  return out;
}

// Absent members keep their defaults.
template <class T>
base::Result<T> from_json(std::string_view text) {
  T value;
  try {
    wire::read_json(wire::type_of<T>(), text, &value);
  } catch (const wire::ApiError& error) {
    return base::Error{error.message()};
  }
  return value;
}

// Whole messages. Acknowledgements are not acknowledged themselves, and have no sequence number.
std::string acknowledgement_of(const Message& message, std::int64_t now_ms);
std::string channel_closed(const std::string& session_id, const std::string& output, std::int64_t now_ms);

// "EXIT_CODE: 3", the payload of PayloadType::ExitCode.
std::string exit_code_text(int code);
std::optional<int> read_exit_code(std::string_view text);

}  // namespace datachannel
