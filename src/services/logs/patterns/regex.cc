// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/regex.h"

#include <re2/re2.h>

#include <cctype>

namespace services::logs {
namespace {

// Of one expression's automaton: RE2 falls back to slower search beyond it, and rejects what can't fit.
constexpr std::int64_t kMaxRegexMemory = 1 << 19;

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::string_view(":_#=@/;,-").find(c) != std::string_view::npos;
}
bool is_operator(char c) { return std::string_view("^$?[]{}|\\*+.").find(c) != std::string_view::npos; }
bool is_class(char c) { return std::string_view("dDsSwW").find(c) != std::string_view::npos; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }

// The offset behind an escape that starts at `at`, or 0 if it is not in the subset.
std::size_t end_of_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  const char c = text[at + 1];
  if (c == 'x') return at + 3 < text.size() && is_hex(text[at + 2]) && is_hex(text[at + 3]) ? at + 4 : 0;
  return is_class(c) || is_operator(c) || (is_plain(c) && !std::isalnum(static_cast<unsigned char>(c))) ? at + 2 : 0;
}

// Collects the longest run of plain characters that every match must contain.
class LiteralFinder {
 public:
  void plain(char c) { run_ += c; }
  // Something that is no plain character ends a run; a quantifier makes its last character optional.
  void end(bool optional_last = false) {
    if (optional_last && !run_.empty()) run_.pop_back();
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }
  void alternative() { alternatives_ = true; }
  std::string result() {
    end();
    return alternatives_ ? "" : best_;
  }

 private:
  std::string run_, best_;
  bool alternatives_ = false;
};

std::string literal_of(std::string_view text) {
  LiteralFinder finder;
  bool in_set = false, in_braces = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      finder.end();
      i = end_of_escape(text, i) - 1;
    } else if (in_set || in_braces) {
      in_set = in_set && c != ']';
      in_braces = in_braces && c != '}';
    } else if (c == '[' || c == '{') {
      finder.end(c == '{');
      (c == '[' ? in_set : in_braces) = true;
      // A bracket at the start of a set is one of its characters.
      if (c == '[' && text.substr(i + 1, 1) == "^") ++i;
      if (c == '[' && text.substr(i + 1, 1) == "]") ++i;
    } else if (is_plain(c)) {
      finder.plain(c);
    } else {
      if (c == '|') finder.alternative();
      finder.end(c == '?' || c == '*');
    }
  }
  return finder.result();
}

}  // namespace

struct Regex::Engine {
  RE2 re;
};

Regex::Regex(std::unique_ptr<Engine> engine, std::string literal)
    : engine_(std::move(engine)), literal_(std::move(literal)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

base::Result<Regex> Regex::parse(std::string_view text) {
  const auto invalid = [&] { return base::Error{"Invalid character(s) in term '%" + std::string(text) + "%'"}; };
  if (text.empty()) return invalid();
  std::string translated;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      const std::size_t end = end_of_escape(text, i);
      if (end == 0) return invalid();
      translated += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (!is_plain(text[i]) && !is_operator(text[i])) return invalid();
    translated += text[i];
    // RE2 reads {,3} as plain characters.
    if (text[i] == '{' && i + 1 < text.size() && text[i + 1] == ',') translated += '0';
    ++i;
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxRegexMemory);
  auto engine = std::unique_ptr<Engine>(new Engine{RE2(translated, options)});
  if (!engine->re.ok()) return base::Error{"Invalid metric filter pattern"};
  return Regex(std::move(engine), literal_of(text));
}

bool Regex::found_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), engine_->re);
}

}  // namespace services::logs
