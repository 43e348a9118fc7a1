// SPDX-License-Identifier: Apache-2.0
// The choice of encoding and the splitting of long text follow JavaMail, as Amazon's responses show: Q if most
// characters are ASCII, and repeated halving until a word fits.
#include "wire/encoded_word.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/utf8.h"

namespace wire {
namespace {

constexpr std::size_t kMaxEncoded = 63;  // 75 less the delimiters

bool is_plain(char c) { return c > ' ' && c < 127 && c != '=' && c != '?' && c != '_'; }

std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ') {
      out += '_';
    } else if (is_plain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'=', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    }
  }
  return out;
}

// In UTF-16 units, as Java counts: a character above U+FFFF is two.
std::size_t units(std::int32_t code) { return code > 0xFFFF ? 2 : 1; }

struct Count {
  std::size_t ascii = 0, others = 0;
  std::size_t all() const { return ascii + others; }
};

Count count(std::string_view text) {
  Count counted;
  for (std::size_t at = 0; at < text.size();) {
    const std::int32_t code = base::next_character(text, at);
    const bool ascii = (code >= ' ' && code < 127) || code == '\t' || code == '\r' || code == '\n';
    (ascii ? counted.ascii : counted.others) += units(code);
  }
  return counted;
}

// The byte offset after `wanted` UTF-16 units, without splitting a character.
std::size_t end_of_units(std::string_view text, std::size_t wanted) {
  std::size_t at = 0;
  for (std::size_t passed = 0; at < text.size();) {
    std::size_t next = at;
    passed += units(base::next_character(text, next));
    if (passed > wanted) break;
    at = next;
  }
  return at;
}

void append_words(std::string_view text, bool q, std::string& out) {
  const std::string encoded = q ? quoted(text) : base::to_base64(text);
  const std::size_t half = encoded.size() > kMaxEncoded ? end_of_units(text, count(text).all() / 2) : 0;
  if (half > 0) {
    append_words(text.substr(0, half), q, out);
    append_words(text.substr(half), q, out);
    return;
  }
  if (!out.empty()) out += ' ';
  out += (q ? "=?UTF-8?Q?" : "=?UTF-8?B?") + encoded + "?=";
}

std::optional<std::string> decode_quoted(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '_') {
      out += ' ';
    } else if (text[at] == '=') {
      const auto byte = base::from_hex(base::to_lower(text.substr(at + 1, 2)));
      if (!byte || byte->size() != 1) return std::nullopt;
      out += *byte;
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

// The text behind "=?", up to and with "?=", which is removed from `rest`.
std::optional<std::string> take_word(std::string_view& rest) {
  const std::size_t charset_end = rest.find('?', 2);
  if (!rest.starts_with("=?") || charset_end == rest.npos) return std::nullopt;
  const std::string_view charset = rest.substr(2, charset_end - 2);
  if (!base::equals_ignoring_case(charset, "utf-8") && !base::equals_ignoring_case(charset, "us-ascii")) {
    return std::nullopt;
  }
  const std::string_view encoding = rest.substr(charset_end + 1, 2);
  const std::size_t end = rest.find("?=", charset_end + 3);
  if (encoding.size() != 2 || encoding[1] != '?' || end == rest.npos) return std::nullopt;
  const std::string_view encoded = rest.substr(charset_end + 3, end - charset_end - 3);
  rest.remove_prefix(end + 2);
  if (encoding[0] == 'B' || encoding[0] == 'b') return base::from_base64(encoded);
  if (encoding[0] == 'Q' || encoding[0] == 'q') return decode_quoted(encoded);
  return std::nullopt;
}

}  // namespace

std::string to_encoded_words(std::string_view text) {
  const Count counted = count(text);
  if (counted.others == 0) return std::string(text);
  std::string out;
  append_words(text, counted.ascii > counted.others, out);
  return out;
}

std::optional<std::string> from_encoded_words(std::string_view text) {
  std::string out;
  do {
    const auto word = take_word(text);
    if (!word) return std::nullopt;
    out += *word;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  } while (!text.empty());
  const bool control = std::any_of(out.begin(), out.end(), [](unsigned char c) { return c < 0x20; });
  if (control || !base::is_utf8(out)) return std::nullopt;
  return out;
}

}  // namespace wire
