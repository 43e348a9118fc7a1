// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/query_headers.h"

#include <algorithm>
#include <array>

#include "doors/objects/header_text.h"
#include "base/bytes.h"

namespace doors::objects {
namespace {

constexpr std::array<std::string_view, 10> kNotHeaders = {
    "x-amz-algorithm",     "x-amz-credential",     "x-amz-date",           "x-amz-expires", "x-amz-signedheaders",
    "x-amz-signature",     "x-amz-security-token", "x-amz-content-sha256", "x-amz-trailer",
    "x-amz-sdk-checksum-algorithm"};

bool is_header(const std::string& lower) {
  if (lower == "if-match" || lower == "if-none-match") return true;
  if (!lower.starts_with("x-amz-") || lower.starts_with("x-amz-checksum-")) return false;
  return std::find(kNotHeaders.begin(), kNotHeaders.end(), lower) == kNotHeaders.end();
}

}  // namespace

http::RequestHead with_query_headers(const http::RequestHead& head) {
  http::RequestHead shown = head;
  shown.headers = with_unicode_metadata(head.headers);
  for (std::string_view rest = head.query(); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    // As the signature reads them: a plus is a space.
    const auto name = base::percent_decode(pair.substr(0, equals), true);
    const auto value = base::percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value || !is_header(base::to_lower(*name)) || shown.headers.find(*name)) continue;
    shown.headers.add(*name, *value);
  }
  return shown;
}

}  // namespace doors::objects
