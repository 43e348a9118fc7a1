// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/environment_file.h"

#include "base/utf8.h"

namespace agent {
namespace {

// Editors on Windows put it first. Docker takes it away; to Amazon's agent it is part of a name.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Takes the next line away from `text`, without its end: \n or \r\n.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string what_is_wrong(std::string_view line) {
  if (line.size() > kMaxEnvironmentLine) return "token too long";  // the words of Go's scanner
  if (!base::is_utf8(line)) return "invalid utf8 bytes";
  if (line.find('\0') != line.npos) return "a NUL byte";
  return "";
}

}  // namespace

base::Result<Variables> parse_environment_file(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Variables variables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    const std::string wrong = what_is_wrong(line);
    if (!wrong.empty()) return base::Error{wrong + " at line " + std::to_string(number)};
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos || equals == 0) continue;
    variables[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return variables;
}

}  // namespace agent
