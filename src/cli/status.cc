// SPDX-License-Identifier: Apache-2.0
// stoker env, stoker status
#include <optional>
#include <ostream>
#include <string_view>

#include "base/duration.h"
#include "base/words.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/queue_client.h"
#include "cli/table.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace cli {
namespace {

constexpr std::size_t kMostListedQueues = 100'000;

struct PrintedEnvironment {
  std::string AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_DEFAULT_REGION;
  std::optional<std::string> AWS_SESSION_TOKEN, AWS_CA_BUNDLE;
};
BOOST_DESCRIBE_STRUCT(PrintedEnvironment, (),
                      (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_DEFAULT_REGION,
                       AWS_SESSION_TOKEN, AWS_CA_BUNDLE))

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

int env(const Options& options, std::ostream& out) {
  client::Profile profile = read_profile(options);
  const signing::Credentials& key = profile.credentials;
  if (options.json) {
    print_json(out, PrintedEnvironment{profile.endpoint, key.access_key, key.secret_key, profile.region, profile.region,
                                       if_any(key.session_token), if_any(profile.ca_file)});
    return 0;
  }
  // The output is for `eval`: values come from files of the user.
  const auto print = [&](const char* name, const std::string& value) { out << "export " << name << '=' << base::shell_word(value) << '\n'; };
  print("AWS_ENDPOINT_URL", profile.endpoint);
  print("AWS_ACCESS_KEY_ID", key.access_key);
  print("AWS_SECRET_ACCESS_KEY", key.secret_key);
  print("AWS_REGION", profile.region);
  print("AWS_DEFAULT_REGION", profile.region);
  if (!profile.ca_file.empty()) print("AWS_CA_BUNDLE", profile.ca_file);
  if (!key.session_token.empty()) print("AWS_SESSION_TOKEN", key.session_token);
  out << "unset " << (key.session_token.empty() ? "AWS_SESSION_TOKEN " : "") << "AWS_PROFILE\n";
  return 0;
}

int status(const Options& options, std::ostream& out) {
  client::Profile profile = read_profile(options);
  client::Client client(profile);
  auto health = client.get("/health");
  // 503 with a document: a server that cannot write, and its reason.
  const bool responds = health && (health->status == 200 || (health->status == 503 && !health->body.empty()));
  if (!responds) {
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
  if (up.reason) out << *up.reason << '\n';
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
