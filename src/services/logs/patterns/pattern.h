// SPDX-License-Identifier: Apache-2.0
// Filter patterns: of metric filters, subscription filters, FilterLogEvents and live tails. Parsed once,
// matched against many events.
//   text       ERROR "not found" -debug ?a ?b %[45]\d\d%
//   JSON       { $.level = "ERROR" && $.latency > 100 }
//   delimited  [ip, user, ..., status = 4*, bytes]
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace services::logs {

class LazyJson;

class Pattern {
 public:
  static constexpr std::size_t kMaxLength = 1024;  // characters
  static constexpr int kMaxRegexes = 2;            // in a JSON or delimited pattern
  static constexpr int kMaxWildcards = 3;          // in the selectors of a pattern

  enum class Kind { Text, Json, Delimited };
  using Values = std::map<std::string, std::string>;

  // The error is the message of Amazon's InvalidParameterException.
  static base::Result<Pattern> parse(std::string_view text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  Kind kind() const;
  bool matches_everything() const;
  bool matches(std::string_view message) const;
  // The same; `json` is the message's, for other filters, too.
  bool matches(std::string_view message, LazyJson& json) const;
  // What TestMetricFilter shows of a matching event: the fields that the pattern names.
  std::optional<Values> extract(std::string_view message) const;

  // Bytes to search for before `matches`: a matching message contains all of `all`, and one of `any` unless it is
  // empty.
  struct Literals {
    std::vector<std::string> all = {}, any = {};
  };
  const Literals& literals() const;
  // The longest of `all`. "": unknown.
  const std::string& required_literal() const;
  // False where no message in these bytes (one, or many together) can match. Also covers JSON
  // patterns, whose literals may be written with escapes.
  bool may_match(std::string_view bytes) const;
  bool has_regex() const;

  struct Compiled;

 private:
  friend class FieldReference;
  explicit Pattern(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

// A field of a matching event by its reference, `$.path`, `$name` or `$3`: metric values and dimensions.
class FieldReference {
 public:
  // Fails where the pattern has no such field.
  static base::Result<FieldReference> parse(std::string_view text, const Pattern& pattern);
  ~FieldReference();
  FieldReference(FieldReference&&) noexcept;
  FieldReference& operator=(FieldReference&&) noexcept;

  // nullopt where the event has no such field.
  std::optional<std::string> value(std::string_view message, const Pattern& pattern) const;
  std::optional<std::string> value(std::string_view message, LazyJson& json, const Pattern& pattern) const;

 private:
  struct Target;
  explicit FieldReference(std::unique_ptr<Target> target);

  std::unique_ptr<Target> target_;
};

}  // namespace services::logs
