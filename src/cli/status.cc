// SPDX-License-Identifier: Apache-2.0
// stoker env, stoker status
#include <ostream>

#include "base/duration.h"
#include "cli/commands.h"
#include "cli/profile.h"
#include "cli/queue_client.h"
#include "cli/table.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace cli {
namespace {

constexpr std::size_t kMostListedQueues = 100'000;

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
  QueueClient queues(profile);
  const std::vector<std::string> urls = queues.urls(kMostListedQueues);
  if (urls.empty()) {
    out << "no queues in region " << profile.region << '\n';
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"QUEUE", "VISIBLE", "IN FLIGHT", "DELAYED"}};
  for (const std::string& url : urls) {
    const QueueCounts counts = queues.counts(url);
    rows.push_back({counts.name, std::to_string(counts.visible), std::to_string(counts.in_flight),
                    std::to_string(counts.delayed)});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
