// SPDX-License-Identifier: Apache-2.0
#include "webhooks/url.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace webhooks {
namespace {

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool read_port(std::string_view text, unsigned short& port) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
  return !text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size() && port > 0;
}

// "host", "host:80", "[::1]:80"
bool read_authority(std::string_view text, Url& url) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == text.npos) return false;
    url.host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    if (url.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) return false;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url.host = base::to_lower(text.substr(0, colon));
    rest = text.substr(colon);
    if (!std::all_of(url.host.begin(), url.host.end(), is_host_character)) return false;
  }
  if (url.host.empty()) return false;
  if (rest.empty()) return true;
  return rest[0] == ':' && read_port(rest.substr(1), url.port);
}

}  // namespace

std::string Url::endpoint() const {
  const std::string name = host.find(':') == host.npos ? host : "[" + host + "]";
  return (tls ? "https://" : "http://") + name + ":" + std::to_string(port);
}

std::optional<Url> parse_url(std::string_view text) {
  constexpr std::string_view kHttp = "http://", kHttps = "https://";
  if (text.size() > kMaxUrl) return std::nullopt;
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
  if (!printable) return std::nullopt;
  Url url;
  url.tls = base::equals_ignoring_case(text.substr(0, kHttps.size()), kHttps);
  if (!url.tls && !base::equals_ignoring_case(text.substr(0, kHttp.size()), kHttp)) return std::nullopt;
  text.remove_prefix(url.tls ? kHttps.size() : kHttp.size());
  url.port = url.tls ? 443 : 80;
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  if (!read_authority(text.substr(0, end), url)) return std::nullopt;
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

}  // namespace webhooks
