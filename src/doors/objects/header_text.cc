// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/header_text.h"

#include <algorithm>

#include "wire/encoded_word.h"
#include "wire/timestamp.h"

namespace doors::objects {
namespace {

constexpr std::string_view kMetadata = "x-amz-meta-";

bool is_date_condition(std::string_view name) {
  return base::equals_ignoring_case(name, "If-Modified-Since") || base::equals_ignoring_case(name, "If-Unmodified-Since");
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string from_latin1(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

}  // namespace

base::Headers without_invalid_dates(const base::Headers& headers) {
  base::Headers kept;
  for (const auto& [name, value] : headers) {
    if (!is_date_condition(name) || wire::from_rfc822(value)) kept.add(name, value);
  }
  return kept;
}

base::Headers with_unicode_metadata(const base::Headers& headers) {
  base::Headers out;
  for (const auto& [name, value] : headers) {
    const bool metadata = base::equals_ignoring_case(std::string_view(name).substr(0, kMetadata.size()), kMetadata);
    if (!metadata) {
      out.add(name, value);
    } else {
      out.add(name, is_ascii(value) ? wire::from_encoded_words(value).value_or(value) : from_latin1(value));
    }
  }
  return out;
}

}  // namespace doors::objects
