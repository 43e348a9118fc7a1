// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/environment_file.h"

#include "base/utf8.h"

namespace agent {
namespace {

// Editors on Windows write it. Docker removes it; Amazon's agent takes it for part of a name.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Removes the next line from `text` and returns it without its \n or \r\n.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns "" for a valid line.
std::string line_error(std::string_view line) {
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
    const std::string error = line_error(line);
    if (!error.empty()) return base::Error{error + " at line " + std::to_string(number)};
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos || equals == 0) continue;
    variables[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return variables;
}

}  // namespace agent
