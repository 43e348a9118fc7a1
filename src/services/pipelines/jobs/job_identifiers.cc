// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_identifiers.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/utf8.h"
#include "webhooks/address.h"
#include "webhooks/url.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;

constexpr std::size_t kNewIdLength = 20;
constexpr std::size_t kDerivedIdLength = 40;  // hexadecimal digits

wire::ApiError invalid(const std::string& message) { return wire::ApiError("ValidationException", message); }

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// Of a header with parameters: the value of `name`, quoted or not.
std::optional<std::string> header_parameter(std::string_view header, std::string_view name) {
  std::string_view rest = header.substr(std::min(header.find(';'), header.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ';'
    const std::size_t equals = rest.find('=');
    if (equals == rest.npos) return std::nullopt;
    const std::string_view found = base::trim(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string value;
    if (rest.starts_with('"')) {
      rest.remove_prefix(1);
      while (!rest.empty() && rest[0] != '"') {
        if (rest[0] == '\\' && rest.size() > 1) rest.remove_prefix(1);
        value += rest[0];
        rest.remove_prefix(1);
      }
      rest.remove_prefix(std::min(rest.find(';'), rest.size()));
    } else {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      value = base::trim(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (base::equals_ignoring_case(found, name)) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string new_job_id() { return base::random_text(kNewIdLength, "abcdefghijklmnopqrstuvwxyz0123456789"); }

bool is_job_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxJobId && std::all_of(id.begin(), id.end(), is_id_character) && id != "." &&
         id != "..";
}

void check_job_id(std::string_view id) {
  if (is_job_id(id)) return;
  throw invalid("The id '" + base::to_printable(id.substr(0, 2 * kMaxJobId)) +
                "' is invalid: use 1 to 64 letters, digits, dots, hyphens and underscores.");
}

std::string id_of_idempotency_key(std::string_view key) {
  if (is_job_id(key)) return std::string(key);
  return base::to_hex(base::sha256(key)).substr(0, kDerivedIdLength);
}

std::int64_t parse_priority(std::string_view text) {
  std::int64_t priority = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), priority);
  const bool whole = !text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size();
  if (!whole || priority < 0 || priority > kMaxJobPriority) {
    throw invalid("The priority '" + base::to_printable(text.substr(0, 32)) +
                  "' is invalid: use a whole number from 0 to 9.");
  }
  return priority;
}

JobMetadata parse_metadata(std::string_view text) {
  json::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error || !parsed.is_object()) throw invalid("The metadata is not a JSON object.");
  JobMetadata metadata;
  for (const auto& [name, value] : parsed.get_object()) {
    if (!value.is_string()) {
      throw invalid("The metadata '" + base::to_printable(name) + "' is not a string. Write numbers in quotes.");
    }
    metadata[std::string(name)] = std::string(value.get_string());
  }
  check_metadata(metadata);
  return metadata;
}

void check_metadata(const JobMetadata& metadata) {
  if (metadata.size() > kMaxMetadataEntries) {
    throw invalid("The metadata has " + std::to_string(metadata.size()) + " entries; 50 are allowed.");
  }
  std::size_t bytes = 0;
  for (const auto& [name, value] : metadata) {
    bytes += name.size() + value.size();
    if (name.empty()) throw invalid("An entry of the metadata has no name.");
    if (!base::is_utf8(name) || !base::is_utf8(value)) throw invalid("The metadata is not UTF-8.");
    if (name.find('\0') != name.npos || value.find('\0') != value.npos) {
      throw invalid("The metadata contains a zero byte.");
    }
  }
  if (bytes > kMaxMetadataBytes) {
    throw invalid("The metadata has " + std::to_string(bytes) + " bytes; 2048 are allowed.");
  }
}

std::string metadata_json(const JobMetadata& metadata) {
  json::object object;
  for (const auto& [name, value] : metadata) object[name] = value;
  return json::serialize(object);
}

void check_webhook_url(const std::string& url, bool private_networks) {
  const auto parsed = webhooks::parse_url(url);
  if (!parsed) {
    throw invalid("The webhook '" + base::to_printable(url.substr(0, 200)) +
                  "' is invalid: use http://host/path or https://host/path, at most 2048 characters.");
  }
  const auto kind = webhooks::classify_address(parsed->host);
  if (!kind || webhooks::may_send_to(*kind, private_networks)) return;
  throw invalid("The webhook's address " + parsed->host + " is " + std::string(webhooks::reason(*kind)) + ".");
}

std::string safe_file_name(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of("/\\") + 1, name.size()));
  std::string safe;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t start = at;
    const std::int32_t character = base::next_character(name, at);
    if (at == start) ++at;
    if (character < 0x20 || character == 0x7F || (character >= 0x80 && character < 0xA0)) continue;
    if (safe.size() + (at - start) > kMaxFileName) break;
    if (safe.empty() && character == '.') continue;
    safe += name.substr(start, at - start);
  }
  return safe;
}

std::string default_file_name(std::string_view content_type) {
  constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {"application/json", ".json"}, {"application/pdf", ".pdf"}, {"image/jpeg", ".jpg"}, {"image/png", ".png"},
      {"image/tiff", ".tiff"},       {"image/webp", ".webp"},     {"text/plain", ".txt"}};
  const std::string_view type = base::trim(content_type.substr(0, content_type.find(';')));
  for (const auto& [known, ending] : kEndings) {
    if (base::equals_ignoring_case(type, known)) return "input" + std::string(ending);
  }
  return "input";
}

std::optional<std::string> disposition_file_name(std::string_view header) {
  if (auto extended = header_parameter(header, "filename*")) {
    constexpr std::string_view kUtf8 = "utf-8'";
    const std::size_t quote = extended->find('\'', kUtf8.size());
    if (base::equals_ignoring_case(std::string_view(*extended).substr(0, kUtf8.size()), kUtf8) && quote != extended->npos) {
      if (auto decoded = base::percent_decode(std::string_view(*extended).substr(quote + 1))) return decoded;
    }
  }
  return header_parameter(header, "filename");
}

}  // namespace services::pipelines
