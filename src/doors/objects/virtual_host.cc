// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/virtual_host.h"

#include "base/bytes.h"

namespace doors::objects {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool port = colon != host.npos && host.find_first_not_of("0123456789", colon + 1) == host.npos;
  host = port ? host.substr(0, colon) : host;
  if (host.ends_with('.')) host.remove_suffix(1);  // the dot of the DNS root
  return host;
}

// "photos.example.com" without "example.com" -> photos
std::optional<std::string> before(std::string_view host, std::string_view domain) {
  if (host.size() < domain.size() + 2 || !host.ends_with(domain)) return std::nullopt;
  host.remove_suffix(domain.size());
  if (!host.ends_with('.')) return std::nullopt;
  return std::string(host.substr(0, host.size() - 1));
}

}  // namespace

std::optional<std::string> bucket_of_host(std::string_view given, const std::vector<std::string>& domains) {
  if (given.starts_with('[')) return std::nullopt;  // IPv6
  const std::string host = base::to_lower(without_port(given));
  // Configured domains first: such a domain may itself begin with "s3." or end in ".localhost".
  for (const std::string& domain : domains) {
    if (base::equals_ignoring_case(host, domain)) return std::nullopt;
  }
  for (const std::string& domain : domains) {
    if (auto bucket = before(host, base::to_lower(domain))) return bucket;
  }
  // The last one: the bucket's name may contain such a part, too.
  const std::size_t s3 = host.rfind(".s3.");
  if (s3 != host.npos && s3 > 0) return host.substr(0, s3);
  if (host.starts_with("s3.")) return std::nullopt;
  return before(host, "localhost");
}

}  // namespace doors::objects
