// SPDX-License-Identifier: Apache-2.0
#include "services/events/delivery.h"

#include "base/log.h"
#include "services/events/pattern_cache.h"
#include "services/events/rule.h"
#include "services/events/target.h"
#include "services/invoke.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/webhook.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace services::events {
namespace {

using shapes::events::Target;
using shapes::sqs::MessageAttributeValue;
using shapes::sqs::SendMessageRequest;
using shapes::sqs::SendMessageResult;

// As Amazon names them in its dead letters.
std::string dead_letter_code(const wire::ApiError& error) {
  if (error.code().find("NonExistentQueue") != std::string::npos || error.code() == "QueueDoesNotExist") {
    return "RESOURCE_NOT_FOUND";
  }
  return error.code().find("AccessDenied") != std::string::npos ? "NO_PERMISSIONS" : error.code();
}

MessageAttributeValue attribute(std::string text) {
  MessageAttributeValue value;
  value.StringValue = std::move(text);
  value.DataType = "String";
  return value;
}

void send(Call& call, const StoredRule& rule, const SendMessageRequest& message) {
  const Caller sender = as_service(call, "events.amazonaws.com", rule.arn(), rule.account);
  invoke<SendMessageResult>(call, sender, "sqs", "SendMessage", message);
}

// The delivery is a row of this transaction, and is sent after it.
void send_webhook(Call& call, const StoredRule& rule, const std::string& arn, const std::string& body) {
  shapes::stoker::SendWebhook request;
  request.arn = arn;
  request.body = body;
  invoke(call, as_service(call, "events.amazonaws.com", rule.arn(), rule.account), "stoker", "SendWebhook", request);
}

void warn(const Call& call, const StoredRule& rule, const std::string& target, const wire::ApiError& error) {
  base::log_warn("event not delivered", {{"request", call.caller.request_id},
                                         {"rule", rule.name},
                                         {"target", target},
                                         {"why", error.message()}});
}

void send_dead_letter(Call& call, const StoredRule& rule, const Target& target, const Event& event,
                      const wire::ApiError& error) {
  SendMessageRequest letter;
  letter.QueueUrl = *target.DeadLetterConfig->Arn;
  letter.MessageBody = event.text;
  letter.MessageAttributes.emplace();
  (*letter.MessageAttributes)["RULE_ARN"] = attribute(rule.arn());
  (*letter.MessageAttributes)["TARGET_ARN"] = attribute(target.Arn);
  (*letter.MessageAttributes)["ERROR_CODE"] = attribute(dead_letter_code(error));
  (*letter.MessageAttributes)["ERROR_MESSAGE"] = attribute(error.message());
  try {
    send(call, rule, letter);
  } catch (const wire::ApiError& again) {
    warn(call, rule, letter.QueueUrl, again);
  }
}

void send_to_target(Call& call, const StoredRule& rule, const Target& target, const Event& event) {
  const MatchedRule matched{rule.arn(), rule.name, wire::to_iso8601(call.now)};
  SendMessageRequest message;
  message.QueueUrl = target.Arn;
  message.MessageBody = make_input(target, event, matched);
  if (target.SqsParameters) message.MessageGroupId = target.SqsParameters->MessageGroupId;
  try {
    if (is_webhook(target.Arn)) {
      send_webhook(call, rule, target.Arn, message.MessageBody);
    } else {
      send(call, rule, message);
    }
  } catch (const wire::ApiError& error) {
    if (target.DeadLetterConfig && target.DeadLetterConfig->Arn) {
      send_dead_letter(call, rule, target, event, error);
    } else {
      warn(call, rule, target.Arn, error);
    }
  }
}

}  // namespace

void deliver(Call& call, const Event& event) {
  for (const StoredRule& rule : list_enabled_rules(call)) {
    const auto pattern = call.local<PatternCache>().get(rule.pattern);
    if (!pattern || !matches(*pattern, event.value)) continue;
    for (const Target& target : list_targets(call, rule.number)) send_to_target(call, rule, target, event);
  }
}

}  // namespace services::events
