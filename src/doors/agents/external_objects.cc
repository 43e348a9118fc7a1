// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/external_objects.h"

#include "base/bytes.h"
#include "signing/sigv4.h"

namespace doors::agents {
namespace {

// A task may wait on its machine for a GPU before it reads its files.
constexpr std::chrono::seconds kUrlFor = std::chrono::hours(24);

bool has_dot_part(std::string_view path) {
  for (;;) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (part == "." || part == "..") return true;
    if (slash == path.size()) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

bool ExternalObjects::allows(const std::string& account, const std::string& bucket, const std::string& key) const {
  if (has_dot_part(bucket) || has_dot_part(key)) return false;
  const auto found = allowed.find(account);
  return found != allowed.end() && (found->second.contains("*") || found->second.contains(bucket));
}

std::string ExternalObjects::url_of(const std::string& bucket, const std::string& key, base::Time now) const {
  const std::size_t host = endpoint.find("://") + 3;
  const std::size_t slash = std::min(endpoint.find('/', host), endpoint.size());
  std::string prefix = endpoint.substr(slash);
  while (prefix.ends_with('/')) prefix.pop_back();
  http::RequestHead head;
  head.method = "GET";
  head.target = prefix + "/" + base::percent_encode(bucket) + "/" + base::percent_encode(key, true);
  head.headers.set("Host", endpoint.substr(host, slash - host));
  return endpoint.substr(0, slash) +
         signing::presign(head, {access_key_id, secret_access_key, ""}, region, "s3", kUrlFor, now);
}

}  // namespace doors::agents
