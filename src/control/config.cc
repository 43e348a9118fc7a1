// SPDX-License-Identifier: Apache-2.0
#include "control/config.h"

#include <charconv>

#include "state/keys.h"

namespace control {

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
