// SPDX-License-Identifier: Apache-2.0
// stoker webhook create|list|delete
#include <ostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/names.h"
#include "shapes/stoker/webhook.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using namespace shapes::stoker;

const client::Target kWebhookTarget{kService, "stoker", wire::Protocol::Json11};

struct PrintedName {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(PrintedName, (), (name))

}  // namespace

int webhook_create(const Options& options, const std::string& name, const std::string& url, std::ostream& out) {
  client::Client client(read_profile(options));
  const CreateWebhookRequest request{name, url, std::nullopt};
  auto response = client.call<CreateWebhookResponse>(kWebhookTarget, "CreateWebhook", request);
  if (options.json) {
    print_json(out, response);
  } else {
    out << "arn = " << response.webhook.arn << "\nsecret = " << response.webhook.secret.value_or("") << '\n';
  }
  return 0;
}

int webhook_list(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options));
  ListWebhooksResponse all;
  ListWebhooksRequest request;
  do {
    auto page = client.call<ListWebhooksResponse>(kWebhookTarget, "ListWebhooks", request);
    all.webhooks.insert(all.webhooks.end(), page.webhooks.begin(), page.webhooks.end());
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  if (options.json) {
    print_json(out, all);
    return 0;
  }
  if (all.webhooks.empty()) {
    out << "no webhooks: `stoker webhook create` creates one\n";
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"NAME", "URL", "CREATED", "ARN"}};
  for (const Webhook& webhook : all.webhooks) {
    rows.push_back({webhook.name, webhook.url, wire::to_iso8601(webhook.createdAt), webhook.arn});
  }
  print_table(out, rows);
  return 0;
}

int webhook_delete(const Options& options, const std::string& name, std::ostream& out) {
  client::Client client(read_profile(options));
  client.call(kWebhookTarget, "DeleteWebhook", DeleteWebhookRequest{name});
  if (options.json) {
    print_json(out, PrintedName{name});
  } else {
    out << "deleted " << name << '\n';
  }
  return 0;
}

}  // namespace cli
