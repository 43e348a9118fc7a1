// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/json_tape.h"

#include <charconv>
#include <cmath>

namespace services::logs {
namespace {

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool JsonTape::parse(std::string_view text) {
  input_ = text;
  at_ = 0;
  nodes_.clear();
  decoded_.clear();
  blanks();
  if (!value({}, 0)) return false;
  blanks();
  return at_ == input_.size();
}

bool JsonTape::parse_object(std::string_view text) {
  std::size_t first = 0;
  while (first < text.size() && is_json_blank(text[first])) ++first;
  return first < text.size() && text[first] == '{' && parse(text);
}

std::optional<std::uint32_t> JsonTape::member(std::uint32_t at, std::string_view key) const {
  std::optional<std::uint32_t> found;
  if (nodes_[at].kind != JsonNode::Kind::Object) return found;
  each_child(at, [&](std::uint32_t child) {
    if (nodes_[child].key == key) found = child;
  });
  return found;
}

std::optional<std::uint32_t> JsonTape::element(std::uint32_t at, std::size_t index) const {
  std::optional<std::uint32_t> found;
  if (nodes_[at].kind != JsonNode::Kind::Array) return found;
  std::size_t position = 0;
  each_child(at, [&](std::uint32_t child) {
    if (position++ == index) found = child;
  });
  return found;
}

void JsonTape::blanks() {
  while (at_ < input_.size() && is_json_blank(input_[at_])) ++at_;
}

bool JsonTape::take(char c) {
  blanks();
  if (at_ >= input_.size() || input_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonTape::value(std::string_view key, std::size_t depth) {
  if (at_ >= input_.size() || depth > kMaxDepth) return false;
  const std::size_t node = nodes_.size();
  const std::size_t begin = at_;
  nodes_.push_back({.key = key});
  bool valid = false;
  JsonNode::Kind kind = JsonNode::Kind::Null;
  std::string_view text;
  switch (input_[at_]) {
    case '{': kind = JsonNode::Kind::Object, valid = members(depth); break;
    case '[': kind = JsonNode::Kind::Array, valid = elements(depth); break;
    case '"': kind = JsonNode::Kind::String, valid = string(text); break;
    case 't': kind = JsonNode::Kind::True, valid = word("true"); break;
    case 'f': kind = JsonNode::Kind::False, valid = word("false"); break;
    case 'n': valid = word("null"); break;
    default: kind = JsonNode::Kind::Number, valid = number();
  }
  if (!valid) return false;
  nodes_[node].kind = kind;
  nodes_[node].text = kind == JsonNode::Kind::String ? text : input_.substr(begin, at_ - begin);
  nodes_[node].end = static_cast<std::uint32_t>(nodes_.size());
  return true;
}

bool JsonTape::members(std::size_t depth) {
  ++at_;
  if (take('}')) return true;
  do {
    blanks();
    std::string_view key;
    if (at_ >= input_.size() || input_[at_] != '"' || !string(key) || !take(':')) return false;
    blanks();
    if (!value(key, depth + 1)) return false;
  } while (take(','));
  return take('}');
}

bool JsonTape::elements(std::size_t depth) {
  ++at_;
  if (take(']')) return true;
  do {
    blanks();
    if (!value({}, depth + 1)) return false;
  } while (take(','));
  return take(']');
}

bool JsonTape::string(std::string_view& out) {
  const std::size_t from = ++at_;
  for (; at_ < input_.size(); ++at_) {
    const char c = input_[at_];
    if (c == '"') {
      out = input_.substr(from, at_++ - from);
      return true;
    }
    if (c == '\\') return decode(from, out);
    if (static_cast<unsigned char>(c) < 0x20) return false;
  }
  return false;
}

// The rest of a string that began at `from`, from its first escape.
bool JsonTape::decode(std::size_t from, std::string_view& out) {
  std::string text(input_.substr(from, at_ - from));
  while (at_ < input_.size()) {
    const char c = input_[at_++];
    if (c == '"') {
      out = decoded_.emplace_back(std::move(text));
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c != '\\') {
      text += c;
    } else if (!escape(text)) {
      return false;
    }
  }
  return false;
}

bool JsonTape::escape(std::string& out) {
  if (at_ >= input_.size()) return false;
  switch (const char c = input_[at_++]) {
    case '"': case '\\': case '/': out += c; return true;
    case 'b': out += '\b'; return true;
    case 'f': out += '\f'; return true;
    case 'n': out += '\n'; return true;
    case 'r': out += '\r'; return true;
    case 't': out += '\t'; return true;
    case 'u': break;
    default: return false;
  }
  std::uint32_t code = 0;
  if (!code_unit(code)) return false;
  if (code >= 0xD800 && code < 0xDC00) {  // the first of a pair
    std::uint32_t low = 0;
    if (input_.substr(at_, 2) != "\\u") return false;
    at_ += 2;
    if (!code_unit(low) || low < 0xDC00 || low > 0xDFFF) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code <= 0xDFFF) {
    return false;
  }
  append_utf8(code, out);
  return true;
}

bool JsonTape::code_unit(std::uint32_t& out) {
  const std::string_view digits = input_.substr(at_, 4);
  if (digits.size() < 4) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + 4, out, 16);
  if (error != std::errc() || end != digits.data() + 4) return false;
  at_ += 4;
  return true;
}

bool JsonTape::number() {
  const auto digits = [this] {
    const std::size_t from = at_;
    while (at_ < input_.size() && is_decimal(input_[at_])) ++at_;
    return at_ > from;
  };
  const auto next_is = [this](char c) { return at_ < input_.size() && input_[at_] == c; };
  if (next_is('-')) ++at_;
  if (next_is('0')) {
    ++at_;
  } else if (!digits()) {
    return false;
  }
  if (next_is('.')) {
    ++at_;
    if (!digits()) return false;
  }
  if (next_is('e') || next_is('E')) {
    ++at_;
    if (next_is('+') || next_is('-')) ++at_;
    if (!digits()) return false;
  }
  return true;
}

bool JsonTape::word(std::string_view expected) {
  if (input_.substr(at_, expected.size()) != expected) return false;
  at_ += expected.size();
  return true;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  if (text.empty() || !(is_decimal(text[0]) || text[0] == '-' || text[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string number_text(double value) {
  char buffer[64];
  // Whole numbers in full, as long as a double can count.
  if (value == std::floor(value) && std::abs(value) < 9007199254740992.0) {
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value));
    return std::string(buffer, result.ptr);
  }
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

}  // namespace services::logs
