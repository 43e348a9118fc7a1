// SPDX-License-Identifier: Apache-2.0
// The URL of a webhook.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace webhooks {

inline constexpr std::size_t kMaxUrl = 2048;

struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  unsigned short port = 0;
  std::string target;  // path and query

  // "https://example.com:443": the receiver that limits apply to.
  std::string endpoint() const;
};

// http or https, without user, password and fragment.
std::optional<Url> parse_url(std::string_view text);

}  // namespace webhooks
