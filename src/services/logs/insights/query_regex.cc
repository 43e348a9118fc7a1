// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/query_regex.h"

#include <re2/re2.h>

namespace services::logs::insights {
namespace {

constexpr std::int64_t kMaxQueryRegexMemory = 1 << 20;

re2::StringPiece piece(std::string_view text) { return re2::StringPiece(text.data(), text.size()); }

// RE2 writes (?P<name>...) for (?<name>...).
std::string with_python_names(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      out += text.substr(i++, 2);
    } else if (text.substr(i, 3) == "(?<" && text.substr(i, 4) != "(?<=" && text.substr(i, 4) != "(?<!") {
      out += "(?P<";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

struct QueryRegex::Engine {
  RE2 re;
};

base::Result<QueryRegex> QueryRegex::parse(std::string_view text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxQueryRegexMemory);
  auto engine = std::shared_ptr<const Engine>(new Engine{RE2(with_python_names(text), options)});
  if (!engine->re.ok()) return base::Error{engine->re.error()};
  QueryRegex regex;
  for (const auto& [group, name] : engine->re.CapturingGroupNames()) regex.names_.push_back(name);
  regex.engine_ = std::move(engine);
  return regex;
}

bool QueryRegex::found_in(std::string_view text) const { return RE2::PartialMatch(piece(text), engine_->re); }

std::size_t QueryRegex::groups() const { return static_cast<std::size_t>(engine_->re.NumberOfCapturingGroups()); }

std::optional<std::vector<std::optional<std::string_view>>> QueryRegex::captures(std::string_view text) const {
  std::vector<re2::StringPiece> found(groups() + 1);
  if (!engine_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  std::vector<std::optional<std::string_view>> out;
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].data()) {
      out.emplace_back(std::string_view(found[i].data(), found[i].size()));
    } else {
      out.emplace_back();
    }
  }
  return out;
}

std::string QueryRegex::replace_all(std::string_view text, std::string_view with) const {
  std::string out(text);
  // "$1" is a group in queries and "\1" in RE2.
  std::string rewrite;
  for (char c : with) {
    if (c == '\\') rewrite += '\\';
    rewrite += c == '$' ? '\\' : c;
  }
  std::string error;
  if (!engine_->re.CheckRewriteString(rewrite, &error)) return out;
  RE2::GlobalReplace(&out, engine_->re, rewrite);
  return out;
}

std::size_t QueryRegex::group_of(const std::string& name) const {
  const auto& groups = engine_->re.NamedCapturingGroups();
  const auto found = groups.find(name);
  return found == groups.end() ? 0 : static_cast<std::size_t>(found->second - 1);
}

std::string QueryRegex::quote(std::string_view text) { return RE2::QuoteMeta(piece(text)); }

}  // namespace services::logs::insights
