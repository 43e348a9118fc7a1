// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/pattern.h"

#include <algorithm>

#include "base/utf8.h"
#include "services/logs/patterns/delimited_pattern.h"
#include "services/logs/patterns/json_pattern.h"
#include "services/logs/patterns/text_pattern.h"

namespace services::logs {

struct Pattern::Compiled {
  Kind kind = Kind::Text;
  TextPattern text = {};
  JsonPattern json = {};
  DelimitedPattern delimited = {};
  Literals literals = {};
  std::string longest = {};  // of literals.all
  bool regex = false;
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

base::Result<Pattern> Pattern::parse(std::string_view text) {
  if (base::count_characters(text) > kMaxLength) return base::Error{"Invalid metric filter pattern"};
  // Filters are stored as text, which can't hold it.
  if (text.find('\0') != std::string_view::npos) return base::Error{"Invalid metric filter pattern"};
  auto compiled = std::make_unique<Compiled>();
  PatternReader reader(text);
  try {
    if (text.starts_with('{')) {
      compiled->kind = Kind::Json;
      compiled->json = JsonPattern::read(reader);
      // JSON may write any character as an escape.
      if (std::string literal = compiled->json.literal(); !literal.empty()) compiled->literals.any = {literal, "\\u"};
    } else if (text.starts_with('[')) {
      compiled->kind = Kind::Delimited;
      compiled->delimited = DelimitedPattern::read(reader);
      compiled->literals.all = compiled->delimited.literals();
    } else {
      compiled->text = TextPattern::read(reader);
      compiled->literals = {compiled->text.all_literals(), compiled->text.any_literals()};
    }
  } catch (const PatternError& error) {
    return base::Error{error.message};
  }
  for (const std::string& one : compiled->literals.all) {
    if (one.size() > compiled->longest.size()) compiled->longest = one;
  }
  compiled->regex = reader.regexes() > 0;
  return Pattern(std::move(compiled));
}

Pattern::Kind Pattern::kind() const { return compiled_->kind; }
bool Pattern::has_regex() const { return compiled_->regex; }
const Pattern::Literals& Pattern::literals() const { return compiled_->literals; }
const std::string& Pattern::required_literal() const { return compiled_->longest; }

bool Pattern::matches_everything() const {
  return compiled_->kind == Kind::Text && compiled_->text.matches_everything();
}

bool Pattern::may_match(std::string_view bytes) const {
  const auto found = [&](const std::string& literal) { return contains(bytes, literal); };
  const auto& [all, any] = compiled_->literals;
  return std::all_of(all.begin(), all.end(), found) && (any.empty() || std::any_of(any.begin(), any.end(), found));
}

bool Pattern::matches(std::string_view message) const {
  LazyJson json(message);
  return matches(message, json);
}

bool Pattern::matches(std::string_view message, LazyJson& json) const {
  switch (compiled_->kind) {
    case Kind::Text: return compiled_->text.matches(message);
    case Kind::Delimited: return may_match(message) && compiled_->delimited.match(message).has_value();
    case Kind::Json: break;
  }
  if (!may_match(message)) return false;
  const JsonTape* tape = json.object();
  return tape && compiled_->json.matches(*tape);
}

std::optional<Pattern::Values> Pattern::extract(std::string_view message) const {
  if (compiled_->kind == Kind::Json) {
    JsonTape tape;
    if (!tape.parse_object(message) || !compiled_->json.matches(tape)) return std::nullopt;
    return compiled_->json.extract(tape);
  }
  if (!matches(message)) return std::nullopt;
  return compiled_->kind == Kind::Delimited ? compiled_->delimited.extract(message) : Values{};
}

struct FieldReference::Target {
  std::optional<Selector> selector = {};
  std::string name = {};  // of a delimited field
};

FieldReference::FieldReference(std::unique_ptr<Target> target) : target_(std::move(target)) {}
FieldReference::~FieldReference() = default;
FieldReference::FieldReference(FieldReference&&) noexcept = default;
FieldReference& FieldReference::operator=(FieldReference&&) noexcept = default;

base::Result<FieldReference> FieldReference::parse(std::string_view text, const Pattern& pattern) {
  auto target = std::make_unique<Target>();
  if (pattern.kind() == Pattern::Kind::Json) {
    auto selector = Selector::parse(text);
    if (!selector) return base::Error{selector.error()};
    target->selector = std::move(*selector);
  } else if (pattern.kind() == Pattern::Kind::Delimited && text.size() > 1 && text[0] == '$') {
    target->name = text.substr(1);
    if (!pattern.compiled_->delimited.has_field(target->name)) {
      return base::Error{"The pattern has no field '" + std::string(text) + "'"};
    }
  } else {
    return base::Error{"The pattern has no field '" + std::string(text) + "'"};
  }
  return FieldReference(std::move(target));
}

std::optional<std::string> FieldReference::value(std::string_view message, const Pattern& pattern) const {
  LazyJson json(message);
  return value(message, json, pattern);
}

std::optional<std::string> FieldReference::value(std::string_view message, LazyJson& json,
                                                 const Pattern& pattern) const {
  if (!target_->selector) return pattern.compiled_->delimited.value(message, target_->name);
  const JsonTape* tape = json.object();
  return tape ? target_->selector->value(*tape) : std::nullopt;
}

}  // namespace services::logs
