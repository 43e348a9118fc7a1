// SPDX-License-Identifier: Apache-2.0
// SigV4's canonical forms, which must be byte-identical for signer and verifier.
// Private to signing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "http/message.h"

namespace signing {

inline constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

struct Canonical {
  bool s3 = false;
  bool presigned = false;  // omits X-Amz-Signature from the query
};

std::string canonical_path(std::string_view path, bool s3);
std::string canonical_query(std::string_view query, bool presigned);
std::string canonical_request(const http::RequestHead& head, const std::vector<std::string>& signed_headers,
                              std::string_view payload_hash, Canonical form);
std::string string_to_sign(std::string_view timestamp, std::string_view scope, std::string_view canonical_request);

// "7b 22 ...", the format in which S3 reports the signed bytes.
std::string spaced_hex(std::string_view bytes);

// 20260101T000000Z
std::string iso_basic(base::Time time);
std::optional<base::Time> parse_iso_basic(std::string_view text);
// Thu, 01 Jan 2026 00:00:00 GMT
std::optional<base::Time> parse_http_date(const std::string& text);

}  // namespace signing
