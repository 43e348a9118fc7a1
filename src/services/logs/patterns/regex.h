// SPDX-License-Identifier: Apache-2.0
// The regular expressions of filter patterns (`%...%`): a small subset, checked here and run by RE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace services::logs {

class Regex {
 public:
  // `text` stands between the percent signs. The error is Amazon's text.
  static base::Result<Regex> parse(std::string_view text);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // Whether it matches anywhere in the text.
  bool found_in(std::string_view text) const;
  // Bytes that every match contains; may be empty.
  const std::string& literal() const { return literal_; }

 private:
  struct Engine;
  explicit Regex(std::unique_ptr<Engine> engine, std::string literal);

  std::unique_ptr<Engine> engine_;
  std::string literal_;
};

}  // namespace services::logs
