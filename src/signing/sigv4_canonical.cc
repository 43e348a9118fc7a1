// SPDX-License-Identifier: Apache-2.0
#include "signing/sigv4_canonical.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace signing {
namespace {

// Like botocore: removes empty and dot segments, keeps a slash at the end.
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = std::min(path.find('/', at), path.size());
    std::string_view segment = path.substr(at, end - at);
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
    at = end + 1;
  }
  std::string out;
  for (std::string_view segment : kept) out.append("/").append(segment);
  if (kept.empty() || path.back() == '/') out += '/';
  return out;
}

// An invalid escape is taken literally.
std::string encode_again(std::string_view text, bool keep_slash, bool plus_is_space) {
  auto decoded = base::percent_decode(text, plus_is_space);
  return base::percent_encode(decoded ? std::string_view(*decoded) : text, keep_slash);
}

// Of a query. Amazon's ecs-agent sends a space as "+" and signs it as "%20".
std::string encode_form_again(std::string_view text) { return encode_again(text, false, true); }

// Without spaces at either end, and with runs of spaces collapsed.
void append_trimmed(std::string_view value, std::string& out) {
  bool space = false;
  std::size_t start = out.size();
  for (char c : value) {
    if (c == ' ' || c == '\t') {
      space = out.size() > start;
      continue;
    }
    if (space) out += ' ';
    space = false;
    out += c;
  }
}

void append_header(const base::Headers& headers, std::string_view name, std::string& out) {
  out.append(name).append(":");
  bool first = true;
  for (const base::Headers::Line& line : headers) {
    if (!base::equals_ignoring_case(line.first, name)) continue;
    if (!first) out += ',';
    first = false;
    append_trimmed(line.second, out);
  }
  out += '\n';
}

std::optional<int> number(std::string_view digits) {
  int value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::string canonical_path(std::string_view path, bool s3) {
  if (path.empty() || path == "/") return "/";
  if (s3) return encode_again(path, true, false);
  return base::percent_encode(remove_dot_segments(path), true);
}

std::string canonical_query(std::string_view query, bool presigned) {
  if (query.empty()) return "";
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t at = 0; at <= query.size();) {
    std::size_t end = std::min(query.find('&', at), query.size());
    std::string_view part = query.substr(at, end - at);
    at = end + 1;
    std::size_t equals = std::min(part.find('='), part.size());
    std::string_view name = part.substr(0, equals), value = part.substr(std::min(equals + 1, part.size()));
    if (part.empty() || (presigned && name == "X-Amz-Signature")) continue;
    pairs.emplace_back(encode_form_again(name), encode_form_again(value));
  }
  std::ranges::sort(pairs);
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

std::string canonical_request(const http::RequestHead& head, const std::vector<std::string>& signed_headers,
                              std::string_view payload_hash, Canonical form) {
  std::string out;
  out.reserve(1024);
  out.append(head.method).append("\n");
  out.append(canonical_path(head.path(), form.s3)).append("\n");
  out.append(canonical_query(head.query(), form.presigned)).append("\n");
  for (const std::string& name : signed_headers) append_header(head.headers, name, out);
  out += '\n';
  for (const std::string& name : signed_headers) {
    if (&name != &signed_headers.front()) out += ';';
    out += name;
  }
  out.append("\n").append(payload_hash);
  return out;
}

std::string string_to_sign(std::string_view timestamp, std::string_view scope, std::string_view canonical_request) {
  std::string out;
  out.reserve(192);
  out.append(kAlgorithm).append("\n").append(timestamp).append("\n").append(scope).append("\n");
  return out.append(base::to_hex(base::sha256(canonical_request)));
}

std::string spaced_hex(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += ' ';
    out += base::to_hex(bytes.substr(i, 1));
  }
  return out;
}

std::string iso_basic(base::Time time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 48> text;
  int size = std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ", int(date.year()),
                           unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                           int(clock.minutes().count()), int(clock.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::optional<base::Time> parse_iso_basic(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  auto year = number(text.substr(0, 4)), month = number(text.substr(4, 2)), day = number(text.substr(6, 2));
  auto hour = number(text.substr(9, 2)), minute = number(text.substr(11, 2)), second = number(text.substr(13, 2));
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

std::optional<base::Time> parse_http_date(const std::string& text) {
  tm parts = {};
  const char* zone = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S ", &parts);
  if (!zone) return std::nullopt;
  const std::string_view name = zone;
  if (name != "GMT" && name != "UTC" && name != "+0000" && name != "-0000") return std::nullopt;
  return base::from_seconds(::timegm(&parts));
}

}  // namespace signing
