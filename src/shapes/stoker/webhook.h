// SPDX-License-Identifier: Apache-2.0
// Webhooks: URLs that receive signed notifications. The first three operations are for clients; the others are
// spoken between services only.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

struct Webhook {
  std::string name;
  std::string arn;  // arn:aws:stoker:<region>:<account>:webhook/<name>
  std::string url;
  std::optional<std::string> secret;  // whsec_...; only where the webhook was just created
  base::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(Webhook, (), (name, arn, url, secret, createdAt))

struct CreateWebhookRequest {
  std::string name;
  std::string url;
  std::optional<std::string> secret;  // absent: a new one
};
BOOST_DESCRIBE_STRUCT(CreateWebhookRequest, (), (name, url, secret))
struct CreateWebhookResponse {
  Webhook webhook;
};
BOOST_DESCRIBE_STRUCT(CreateWebhookResponse, (), (webhook))

struct ListWebhooksRequest {
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListWebhooksRequest, (), (nextToken))
struct ListWebhooksResponse {
  std::vector<Webhook> webhooks;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListWebhooksResponse, (), (webhooks, nextToken))

struct DeleteWebhookRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(DeleteWebhookRequest, (), (name))

// Sends a body to a webhook of the caller's account. The service `reportTo`, if any, gets a WebhookFinished with the
// same context.
struct SendWebhook {
  std::string arn;
  std::string body;
  std::string reportTo;
  std::string context;
};
BOOST_DESCRIBE_STRUCT(SendWebhook, (), (arn, body, reportTo, context))

// The input of the internal operation WebhookFinished of the service that sent the body.
struct WebhookFinished {
  std::string context;
  bool delivered = false;
  std::string error;  // of the last attempt
  std::int64_t attempts = 0;
  std::int64_t responseStatus = 0;  // 0: there was no answer
};
BOOST_DESCRIBE_STRUCT(WebhookFinished, (), (context, delivered, error, attempts, responseStatus))

// The same of WebhookAttempted, where the service has it: an attempt failed, and another will follow.
struct WebhookAttempted {
  std::string context;
  std::string error;
  std::int64_t attempts = 0;
  std::int64_t responseStatus = 0;
  base::Time nextAttemptAt;
};
BOOST_DESCRIBE_STRUCT(WebhookAttempted, (), (context, error, attempts, responseStatus, nextAttemptAt))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::CreateWebhookRequest> = wire::traits({
    {.member = "name", .required = true, .min = 1, .max = 128, .pattern = "[A-Za-z0-9_.-]+"},
    {.member = "url", .required = true, .min = 1, .max = 2048},
    {.member = "secret", .min = 1, .max = 256, .secret = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::DeleteWebhookRequest> = wire::traits({
    {.member = "name", .required = true},
});
