// SPDX-License-Identifier: Apache-2.0
#include "control/config.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>

#include "base/bytes.h"
#include "state/keys.h"

namespace control {
namespace {

// Files for the database, objects and programs: as many as they may use at once, and the fewest with which they work.
constexpr std::size_t kOtherFiles = 1024;
constexpr std::size_t kFewestOtherFiles = 96, kFilesOfAThread = 4;

// Of all connections, for the clients and agents of one account together.
constexpr std::size_t kAccountQuarters = 3;

}  // namespace

int thread_count(const Config& config) {
  const int threads = config.threads > 0 ? config.threads : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(threads, 1);
}

base::Result<std::size_t> allowed_connections(std::size_t file_limit, std::size_t wanted, int threads) {
  const std::size_t fewest = kFewestOtherFiles + kFilesOfAThread * static_cast<std::size_t>(threads);
  if (file_limit < 2 * fewest) {
    return base::Error{"the limit of open files (ulimit -Hn) is " + std::to_string(file_limit) +
                       ", and a server with " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
                       " needs at least " + std::to_string(2 * fewest) + ": raise it (systemd: LimitNOFILE=)"};
  }
  const std::size_t others = std::max(fewest, std::min(file_limit / 2, kOtherFiles));
  return std::min(wanted, file_limit - others);
}

base::Result<std::optional<ExternalObjects>> external_objects(ExternalObjects given) {
  if (given.endpoint.empty()) return std::optional<ExternalObjects>();
  if (given.access_key_id.empty() || given.secret_access_key.empty()) {
    return base::Error{"--objects-endpoint needs keys: set STOKER_OBJECTS_ACCESS_KEY_ID and "
                       "STOKER_OBJECTS_SECRET_ACCESS_KEY"};
  }
  return std::optional(std::move(given));
}

base::Result<std::map<std::string, std::set<std::string>>> allowed_buckets(const std::vector<std::string>& texts) {
  std::map<std::string, std::set<std::string>> allowed;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string account = text.substr(0, equals);
    if (equals == text.npos || equals + 1 == text.size() || !state::valid_account(account)) {
      return base::Error{"--objects-allow takes ACCOUNT=BUCKET, as 000000000000=settings or 000000000000=*, not '" + text +
                         "'"};
    }
    allowed[account].insert(text.substr(equals + 1));
  }
  return allowed;
}

base::Result<services::Quotas> account_quotas(services::Quota each, const std::vector<std::string>& texts) {
  services::Quotas quotas{.each = each};
  for (const std::string& text : texts) {
    auto quota = services::parse_quota(text);
    if (!quota) return base::Error{"--account-quota: " + quota.error()};
    quotas.accounts.insert_or_assign(quota->first, quota->second);
  }
  return quotas;
}

http::AdmissionLimits admission_limits(const ConnectionSettings& settings) {
  const auto share = [&](std::size_t part) { return std::max<std::size_t>(settings.all / part, 1); };
  http::AdmissionLimits limits;
  limits.all = settings.all;
  limits.agents = limits.clients = limits.unknown = share(6);
  limits.per_address = settings.per_address > 0 ? settings.per_address : share(24);
  limits.per_account = settings.per_account > 0 ? settings.per_account : share(2);
  limits.agents_per_account = std::max<std::size_t>(settings.all * 7 / 12, 1);
  limits.all_per_account = std::max({settings.all * kAccountQuarters / 4, limits.per_account, limits.agents_per_account});
  return limits;
}

http::BodyLimits body_limits(std::size_t all_bytes) { return {all_bytes, all_bytes / 4}; }

http::BodyLimits account_body_limits(std::size_t all_bytes) { return {all_bytes, all_bytes / 2}; }

base::Result<std::string> read_token_file(const std::string& path) {
  constexpr std::size_t kMinToken = 16;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::string token(base::trim(line));
  if (token.size() < kMinToken) {
    return base::Error{"the first line of " + path + " must be a token of at least " + std::to_string(kMinToken) +
                       " characters"};
  }
  return token;
}

base::Result<Listen> parse_listen(const std::string& text) {
  std::size_t colon = text.rfind(':');
  Listen listen;
  std::string port = colon == text.npos ? text : text.substr(colon + 1);
  listen.address = colon == text.npos ? "127.0.0.1" : text.substr(0, colon);
  if (listen.address.empty()) listen.address = "0.0.0.0";
  if (listen.address.size() > 2 && listen.address.front() == '[' && listen.address.back() == ']') {
    listen.address = listen.address.substr(1, listen.address.size() - 2);
  }
  const char* end = port.data() + port.size();
  auto parsed = std::from_chars(port.data(), end, listen.port);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return base::Error{"'" + text + "' is not ADDRESS:PORT"};
  }
  return listen;
}

}  // namespace control
