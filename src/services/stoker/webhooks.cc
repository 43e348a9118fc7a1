// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/webhooks.h"

#include "base/random.h"
#include "services/arn.h"
#include "services/page.h"
#include "shapes/stoker/webhook.h"
#include "webhooks/outbox.h"
#include "webhooks/signature.h"
#include "webhooks/url.h"
#include "wire/error.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;
using wire::ApiError;

constexpr std::int64_t kMaxWebhooks = 1000;  // of an account in a region
constexpr std::int32_t kWebhooksPerPage = 100;
constexpr std::string_view kWebhookPrefix = "webhook/";

std::string webhook_arn(const Caller& caller, const std::string& name) {
  return "arn:aws:stoker:" + caller.region + ":" + caller.account + ":" + std::string(kWebhookPrefix) + name;
}

void require_account(const Call& call) {
  if (call.caller.anonymous()) throw ApiError("AccessDeniedException", "Webhooks need a signed request.");
}

CreateWebhookResponse create_webhook(Call& call, const CreateWebhookRequest& request) {
  require_account(call);
  if (!webhooks::parse_url(request.url)) {
    throw ApiError("ValidationException", "The URL of a webhook must be http://host/path or https://host/path.");
  }
  if (request.secret && !webhooks::decode_secret(*request.secret)) {
    throw ApiError("ValidationException", "The secret of a webhook must be whsec_ and 24 to 64 bytes in base64.");
  }
  const auto count = call.tx.query("SELECT count(*) FROM stoker_webhooks WHERE account = $1 AND region = $2",
                                   call.caller.account, call.caller.region)
                         .integer();
  if (count >= kMaxWebhooks) throw ApiError("LimitExceededException", "The account has 1000 webhooks already.");
  const std::string secret = request.secret.value_or(webhooks::new_secret());
  const auto added = call.tx.exec("INSERT INTO stoker_webhooks (account, region, name, url, secret, created_at) "
                                  "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
                                  call.caller.account, call.caller.region, request.name, request.url, secret, call.now);
  if (added == 0) throw ApiError("WebhookExistsException", "Webhook '" + request.name + "' already exists.");
  return {{request.name, webhook_arn(call.caller, request.name), request.url, secret, call.now}};
}

ListWebhooksResponse list_webhooks(Call& call, const ListWebhooksRequest& request) {
  require_account(call);
  const PageRules rules{.most = kWebhooksPerPage,
                        .invalid_size = [](std::int32_t) { return ApiError("ValidationException", "Invalid page size."); },
                        .invalid_token = [](const std::string&) {
                          return ApiError("ValidationException", "The nextToken is invalid.");
                        }};
  const Page page = read_page(std::nullopt, request.nextToken, rules);
  ListWebhooksResponse response;
  std::vector<std::string> names;
  call.tx.query("SELECT name, url, created_at FROM stoker_webhooks WHERE account = $1 AND region = $2 AND name > $3 "
                "ORDER BY name LIMIT $4",
                call.caller.account, call.caller.region, page.after, page.size + 1)
      .each([&](const store::Row& row) {
        names.push_back(row.str(0));
        response.webhooks.push_back(
            {row.str(0), webhook_arn(call.caller, row.str(0)), row.str(1), std::nullopt, row.time(2)});
      });
  response.nextToken = cut_page(names, page);
  response.webhooks.resize(names.size());
  return response;
}

void delete_webhook(Call& call, const DeleteWebhookRequest& request) {
  require_account(call);
  const auto deleted = call.tx.exec("DELETE FROM stoker_webhooks WHERE account = $1 AND region = $2 AND name = $3",
                                    call.caller.account, call.caller.region, request.name);
  if (deleted == 0) throw ApiError("WebhookNotFoundException", "Webhook '" + request.name + "' does not exist.");
}

void send_webhook(Call& call, const SendWebhook& request) {
  const auto arn = parse_arn(request.arn, "stoker");
  if (!arn || !arn->resource.starts_with(kWebhookPrefix)) {
    throw ApiError("ValidationException", "'" + request.arn + "' is not the ARN of a webhook.");
  }
  if (arn->account != call.caller.account) {
    throw ApiError("AccessDeniedException", "The webhook belongs to another account.");
  }
  if (request.body.size() > webhooks::kMaxBody) throw ApiError("ValidationException", "The body is too large.");
  const std::string name(arn->resource.substr(kWebhookPrefix.size()));
  webhooks::Delivery delivery;
  const auto found = call.tx.query("SELECT url, secret FROM stoker_webhooks WHERE account = $1 AND region = $2 AND "
                                   "name = $3",
                                   arn->account, arn->region, name)
                         .one([&](const store::Row& row) {
                           delivery.url = row.str(0);
                           delivery.secret = row.str(1);
                           return true;
                         });
  const auto url = webhooks::parse_url(delivery.url);
  if (!found || !url) throw ApiError("WebhookNotFoundException", "Webhook '" + name + "' does not exist.");
  delivery.message_id = "msg_" + base::random_uuid();
  delivery.account = std::string(arn->account);
  delivery.endpoint = url->endpoint();
  delivery.body = request.body;
  delivery.report_to = request.reportTo;
  delivery.context = request.context;
  if (!webhooks::add_delivery(call.tx, delivery, call.now)) {
    throw ApiError("LimitExceededException", "The account has too many webhook deliveries that are pending.");
  }
  call.wake(webhooks::kTopic);
}

}  // namespace

std::vector<Operation> webhook_operations() {
  return {operation<&create_webhook>("CreateWebhook", Access::Write),
          operation<&delete_webhook>("DeleteWebhook", Access::Write),
          operation<&list_webhooks>("ListWebhooks", Access::Read)};
}

std::vector<Operation> internal_webhook_operations() {
  return {operation<&send_webhook>("SendWebhook", Access::Write)};
}

store::Migrations webhook_migrations() { return {"stoker", {webhooks::kTables}}; }

}  // namespace services::stoker
