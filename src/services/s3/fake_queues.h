// SPDX-License-Identifier: Apache-2.0
// Test support: SQS's SendMessage and ObjectCreated of pipelines as S3 calls them. They record what they get.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/directory.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/pipeline_hooks.h"
#include "wire/error.h"

namespace services::s3 {

// In Locals, where the fake operations find it.
struct FakeQueues {
  std::set<std::string> queues, denied;                   // ARNs
  std::vector<std::pair<std::string, std::string>> sent;  // ARN and body
  std::vector<Caller> senders;                            // of checks and of messages
  std::vector<shapes::stoker::ObjectCreated> created;     // announced to pipelines
};

inline void fake_check_send_message(Call& call, const shapes::sqs::SendMessageRequest& request) {
  auto& fake = call.local<FakeQueues>();
  fake.senders.push_back(call.caller);
  if (fake.denied.contains(request.QueueUrl)) throw wire::ApiError("AccessDeniedException", "Denied.");
  if (!fake.queues.contains(request.QueueUrl)) throw wire::ApiError("QueueDoesNotExist", "No such queue.");
}

inline shapes::sqs::SendMessageResult fake_send_message(Call& call, const shapes::sqs::SendMessageRequest& request) {
  fake_check_send_message(call, request);
  auto& sent = call.local<FakeQueues>().sent;
  sent.emplace_back(request.QueueUrl, request.MessageBody);
  return {.MessageId = "message-" + std::to_string(sent.size())};
}

inline void fake_object_created(Call& call, const shapes::stoker::ObjectCreated& created) {
  call.local<FakeQueues>().created.push_back(created);
}

inline Directory fake_queue_directory() {
  Directory directory;
  directory.add("sqs", {operation<&fake_send_message>("SendMessage", Access::Write),
                        operation<&fake_check_send_message>("CheckSendMessage", Access::Read)});
  directory.add("pipelines", {operation<&fake_object_created>("ObjectCreated", Access::Write)});
  return directory;
}

}  // namespace services::s3
