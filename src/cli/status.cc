// SPDX-License-Identifier: Apache-2.0
// stoker env, stoker status
#include <ostream>

#include "base/duration.h"
#include "cli/commands.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/sqs/errors.h"
#include "shapes/sqs/queue.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace cli {
namespace {

using namespace shapes::sqs;

constexpr wire::Service kSqs{.name = "sqs",
                             .json_namespace = "com.amazonaws.sqs",
                             .target_prefix = "AmazonSQS",
                             .query_compatible = true,
                             .errors = shapes::sqs::kErrors};
const client::Target kSqsTarget{kSqs, "sqs", wire::Protocol::Json10};

constexpr std::int32_t kQueuePage = 1000;

std::vector<std::string> all_queues(client::Client& client) {
  std::vector<std::string> urls;
  ListQueuesRequest request{.MaxResults = kQueuePage};
  for (;;) {
    auto page = client.call<ListQueuesResult>(kSqsTarget, "ListQueues", request);
    if (page.QueueUrls) urls.insert(urls.end(), page.QueueUrls->begin(), page.QueueUrls->end());
    if (!page.NextToken) return urls;
    request.NextToken = page.NextToken;
  }
}

}  // namespace

int env(const Options& options, std::ostream& out) {
  client::Profile profile = read_profile(options.data, options.region);
  out << "export AWS_ENDPOINT_URL=" << profile.endpoint << '\n'
      << "export AWS_ACCESS_KEY_ID=" << profile.credentials.access_key << '\n'
      << "export AWS_SECRET_ACCESS_KEY=" << profile.credentials.secret_key << '\n'
      << "export AWS_REGION=" << profile.region << '\n'
      << "export AWS_DEFAULT_REGION=" << profile.region << '\n'
      << "unset AWS_SESSION_TOKEN AWS_PROFILE\n";
  return 0;
}

int status(const Options& options, std::ostream& out) {
  client::Profile profile = read_profile(options.data, options.region);
  client::Client client(profile);
  auto health = client.get("/health");
  if (!health || health->status != 200) {
    throw std::runtime_error("no Stoker responds at " + profile.endpoint + ": " +
                             (health ? "status " + std::to_string(health->status) : health.error()));
  }
  if (options.json) {
    out << health->body;
    return 0;
  }
  shapes::stoker::Health up;
  wire::read_json(wire::type_of<shapes::stoker::Health>(), health->body, &up);
  out << "Stoker " << up.version << " at " << profile.endpoint << ", up for "
      << base::duration_text(std::chrono::seconds(up.uptimeSeconds)) << '\n';
  std::vector<std::string> urls = all_queues(client);
  if (urls.empty()) {
    out << "no queues in region " << profile.region << '\n';
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"QUEUE", "VISIBLE", "IN FLIGHT", "DELAYED"}};
  for (const std::string& url : urls) {
    GetQueueAttributesRequest request{url, std::vector<std::string>{"All"}};
    auto attributes = *client.call<GetQueueAttributesResult>(kSqsTarget, "GetQueueAttributes", request).Attributes;
    rows.push_back({url.substr(url.rfind('/') + 1), attributes["ApproximateNumberOfMessages"],
                    attributes["ApproximateNumberOfMessagesNotVisible"],
                    attributes["ApproximateNumberOfMessagesDelayed"]});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
