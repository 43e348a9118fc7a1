// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/door.h"

#include "services/policy.h"
#include "services/sqs/draft.h"
#include "services/sqs/queue.h"

namespace services::sqs {
namespace {

// Also within an account it is the queue's policy that lets a service in, as at Amazon.
bool lets_in(const Queue& queue, const Call& call, const Sender& sender) {
  if (!queue.policy) return false;
  policy::Context context = policy::context_of({}, call.now);
  context["aws:SourceArn"] = sender.arn;
  context["aws:SourceAccount"] = sender.account;
  context["aws:PrincipalIsAWSService"] = "true";
  context["aws:PrincipalServiceName"] = sender.service;
  context.erase("aws:PrincipalType");  // which is of people
  context["aws:SecureTransport"] = "true";  // nothing is between us
  const policy::Question question{.principal_service = sender.service,
                                  .action = "sqs:SendMessage",
                                  .resource = queue.arn(),
                                  .context = std::move(context)};
  return policy::evaluate(*queue.policy, question) == policy::Answer::Allowed;
}

struct Found {
  Knock answer = Knock::NoSuchQueue;
  std::optional<Queue> queue;
};

Found knock(Call& call, const std::string& queue_arn, const Sender& sender) {
  const auto name = parse_arn(queue_arn);
  auto queue = name ? load_queue(call.tx, *name) : std::nullopt;
  if (!queue) return {};
  if (queue->fifo) return {Knock::Fifo, std::move(queue)};
  const Knock answer = lets_in(*queue, call, sender) ? Knock::Open : Knock::Denied;
  return {answer, std::move(queue)};
}

Knock ask(Call& call, const std::string& queue_arn, const Sender& sender) {
  return knock(call, queue_arn, sender).answer;
}

Knock send(Call& call, const std::string& queue_arn, const Sender& sender, const std::string& body) {
  const Found found = knock(call, queue_arn, sender);
  if (found.answer != Knock::Open) return found.answer;
  // What is to be told has happened: a queue that takes only short messages does not undo it.
  if (body.size() > static_cast<std::size_t>(found.queue->max_message_bytes)) return Knock::Denied;
  const Draft draft = make_draft(*found.queue, {body, {}, {}, {}, {}, {}});
  put_messages(call, *found.queue, {&draft, 1});
  return Knock::Open;
}

}  // namespace

QueueDoor queue_door() { return {&ask, &send}; }

}  // namespace services::sqs
