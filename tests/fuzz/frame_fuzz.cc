// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame of the agent protocol, and each message as every type: an error, or a value
// that can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "api/identify.h"
#include "shapes/agent/extensions.h"
#include "shapes/agent/telemetry.h"
#include "shapes/agent/work.h"
#include "wire/error.h"
#include "wire/frame.h"

namespace {

template <class Message>
void try_message(const wire::Frame& frame) {
  Message message;
  try {
    message = wire::read_message<Message>(frame);
  } catch (const wire::ApiError&) {
    return;
  }
  const std::string text = wire::write_frame(frame.type, message);
  const auto again = wire::read_frame(text);
  if (!again || again->type != frame.type) std::abort();
  wire::read_message<Message>(*again);  // throws: a crash
}

template <class... Messages>
void try_all(const wire::Frame& frame) {
  (try_message<Messages>(frame), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shapes::agent;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"cluster", "task", "tail", "containerInstanceArn"}) api::form_field(text, name);
  const auto frame = wire::read_frame(text);
  if (!frame) return 0;
  try_all<AckRequest, HeartbeatAckRequest, IAMRoleCredentialsAckRequest, TaskStopVerificationMessage>(*frame);
  try_all<PayloadMessage, TaskManifestMessage, TaskStopVerificationAck, IAMRoleCredentialsMessage>(*frame);
  try_all<PublishHealthRequest, PublishMetricsRequest, ErrorMessage>(*frame);
  try_all<StokerGpus, StokerGpuSamples, StokerReadLogs, StokerStopLogs, StokerLogLines>(*frame);
  return 0;
}
