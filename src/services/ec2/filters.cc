// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/filters.h"

#include "services/ec2/errors.h"

namespace services::ec2 {
namespace {

using shapes::ec2::Filter;

constexpr std::size_t kMaxFilterValues = 200;

bool is_tag_filter(std::string_view name) {
  return name.starts_with("tag:") || name == "tag-key" || name == "tag-value";
}

std::vector<std::string> tag_filter_values(const Tags& tags, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : tags) {
    if (name == "tag-key") values.push_back(key);
    if (name == "tag-value" || (name.starts_with("tag:") && name.substr(4) == key)) values.push_back(value);
  }
  return values;
}

bool matches_any(const std::vector<std::string>& patterns, const std::vector<std::string>& values) {
  for (const std::string& pattern : patterns) {
    for (const std::string& value : values) {
      if (matches_wildcards(pattern, value)) return true;
    }
  }
  return false;
}

}  // namespace

bool matches_wildcards(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resume = 0;  // where to continue after the latest *
  while (t < text.size()) {
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && !escaped && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (escaped ? pattern[p + 1] == text[t] : pattern[p] == '?' || pattern[p] == text[t])) {
      p += escaped ? 2 : 1;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void check_filters(const Filters& filters, std::span<const std::string_view> names) {
  if (!filters) return;
  for (const Filter& filter : *filters) {
    const std::string name = filter.Name.value_or("");
    const bool known = std::find(names.begin(), names.end(), name) != names.end() || is_tag_filter(name);
    if (!known) throw invalid_value("The filter '" + name + "' is invalid");
    if (!filter.Values || filter.Values->empty()) throw invalid_value("The filter '" + name + "' has no values");
    if (filter.Values->size() > kMaxFilterValues) {
      throw wire::ApiError("FilterLimitExceeded", "The maximum number of filter values specified on a single call is 200");
    }
  }
}

bool passes(const Filters& filters, const Tags& tags, const FilterValues& values) {
  if (!filters) return true;
  return std::all_of(filters->begin(), filters->end(), [&](const Filter& filter) {
    const std::string name = filter.Name.value_or("");
    return matches_any(*filter.Values, is_tag_filter(name) ? tag_filter_values(tags, name) : values(name));
  });
}

std::vector<std::string> as_values(const std::optional<std::string>& value) {
  return value ? std::vector{*value} : std::vector<std::string>();
}

std::vector<std::string> as_values(const std::optional<bool>& value) {
  return value ? std::vector<std::string>{*value ? "true" : "false"} : std::vector<std::string>();
}

}  // namespace services::ec2
