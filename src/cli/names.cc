// SPDX-License-Identifier: Apache-2.0
#include "cli/names.h"

#include <algorithm>

#include "base/duration.h"

namespace cli {
namespace {

constexpr std::size_t kShortIdChars = 12;
constexpr std::size_t kMachineIdChars = 8;
constexpr std::size_t kTaskIdChars = 32;
constexpr std::size_t kShortGpuChars = 12;  // "GPU-" and 8 digits
constexpr std::size_t kMaxNamedMatches = 4;

}  // namespace

std::string id_of(std::string_view arn) { return std::string(arn.substr(arn.rfind('/') + 1)); }

std::string short_id(std::string_view arn) { return id_of(arn).substr(0, kShortIdChars); }

std::string machine_id(std::string_view arn) { return id_of(arn).substr(0, kMachineIdChars); }

std::string with_short_ids(const std::string& text) {
  std::string out, word;
  auto end_word = [&] {
    out += word.size() == kTaskIdChars ? word.substr(0, kShortIdChars) : word;
    word.clear();
  };
  for (char c : text) {
    const bool hexadecimal = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!hexadecimal) end_word();
    (hexadecimal ? word : out) += c;
  }
  end_word();
  return out;
}

std::string short_gpu(std::string_view id) { return std::string(id.substr(0, kShortGpuChars)); }

std::string family_and_revision(std::string_view task_definition_arn) { return id_of(task_definition_arn); }

std::string service_of(std::string_view group) {
  constexpr std::string_view kPrefix = "service:";
  return group.starts_with(kPrefix) ? std::string(group.substr(kPrefix.size())) : "";
}

std::string brief_duration(base::Duration duration) {
  const std::string text = base::duration_text(duration);
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

base::Result<std::string> match_id(const std::vector<std::string>& ids, const std::string& text,
                                   const std::string& kind) {
  std::vector<std::string> found;
  for (const std::string& id : ids) {
    if (id == text) return id;
    // A task that stops between two lists is in both.
    const bool repeated = std::ranges::find(found, id) != found.end();
    if (!text.empty() && id.starts_with(text) && !repeated) found.push_back(id);
  }
  if (found.empty()) return base::Error{"no such " + kind + ": " + text};
  if (found.size() == 1) return found.front();
  std::string names;
  for (std::size_t i = 0; i < std::min(found.size(), kMaxNamedMatches); ++i)
    names += (i ? ", " : "") + found[i].substr(0, kShortIdChars);
  if (found.size() > kMaxNamedMatches) names += ", ...";
  return base::Error{text + " is the prefix of " + std::to_string(found.size()) + " " + kind + "s: " + names};
}

}  // namespace cli
