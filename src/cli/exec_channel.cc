// SPDX-License-Identifier: Apache-2.0
#include "cli/exec_channel.h"

#include <utility>

#include "base/random.h"

namespace cli {
using namespace datachannel;

namespace {

constexpr char kClientVersion[] = "1.2.0.0";

}  // namespace

std::string ExecChannel::open(const std::string& token) {
  outbox_.connect();
  due_.clear();
  const OpenDataChannelInput input{"1.0", base::random_uuid(), token, base::random_uuid(), kClientVersion};
  return datachannel::to_json(input);
}

void ExecChannel::receive(std::string_view bytes, std::int64_t now_ms, Steady now) {
  auto message = decode(bytes);
  if (!message) return;
  if (message->type == kChannelClosed) {
    const auto content = datachannel::from_json<ChannelClosed>(message->payload);
    closed_ = content ? content->Output : "";
  } else if (message->type == kAcknowledge) {
    const auto content = datachannel::from_json<AcknowledgeContent>(message->payload);
    if (content) outbox_.acknowledge(content->AcknowledgedMessageSequenceNumber, now);
  } else if (message->type == kOutput) {
    const std::string acknowledgement = acknowledgement_of(*message, now_ms);
    if (inbox_.put(std::move(*message)) == Inbox::Arrival::Repeated) due_.push_back(acknowledgement);
  }
}

std::optional<ExecChannel::Output> ExecChannel::take_output(std::int64_t now_ms) {
  while (auto message = inbox_.take()) {
    due_.push_back(acknowledgement_of(*message, now_ms));
    const PayloadType type = message->payload_type;
    if (type == PayloadType::HandshakeRequest) {
      handle_handshake(*message);
    } else if (type == PayloadType::HandshakeComplete) {
      ready_ = true;
    } else if (type == PayloadType::ExitCode) {
      exit_code_ = read_exit_code(message->payload);
    } else {
      return Output{type == PayloadType::StdErr, std::move(message->payload)};
    }
  }
  return std::nullopt;
}

void ExecChannel::handle_handshake(const Message& message) {
  HandshakeResponse response;
  response.ClientVersion = kClientVersion;
  if (const auto request = datachannel::from_json<HandshakeRequest>(message.payload)) {
    for (const RequestedClientAction& action : request->RequestedClientActions) {
      ProcessedClientAction processed;
      processed.ActionType = action.ActionType;
      processed.ActionStatus = action.ActionType == "SessionType" ? kActionSucceeded : kActionUnsupported;
      response.ProcessedClientActions.push_back(processed);
    }
  }
  response_ = datachannel::to_json(response);
}

std::vector<std::string> ExecChannel::take(std::int64_t now_ms, Steady now) {
  if (response_ && outbox_.has_room()) {
    send(PayloadType::HandshakeResponse, *response_, now_ms, now);
    response_.reset();
  }
  std::vector<std::string> due = std::exchange(due_, {});
  for (std::string& bytes : outbox_.take_due(now)) due.push_back(std::move(bytes));
  return due;
}

void ExecChannel::send(PayloadType type, std::string payload, std::int64_t now_ms, Steady now) {
  due_.push_back(outbox_.add(type, std::move(payload), now_ms, now));
}

}  // namespace cli
