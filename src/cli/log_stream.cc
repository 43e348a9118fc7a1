// SPDX-License-Identifier: Apache-2.0
#include "cli/log_stream.h"

#include "base/bytes.h"
#include "cli/line_stream.h"
#include "wire/json.h"

namespace cli {

std::string log_target(const LogRequest& request) {
  std::string target =
      "/stoker/logs?cluster=" + base::percent_encode(request.cluster) + "&task=" + base::percent_encode(request.task);
  if (request.container) target += "&container=" + base::percent_encode(*request.container);
  if (request.follow) target += "&follow=true";
  if (request.tail) target += "&tail=" + std::to_string(*request.tail);
  return target;
}

std::string bytes_of(const LogLine& line) {
  std::string bytes = line.text;
  if (line.base64) bytes = base::from_base64(*line.base64).value_or(line.text);
  if (!line.partial.value_or(false)) bytes += '\n';
  return bytes;
}

void read_logs(const client::Profile& profile, const LogRequest& request, const std::function<bool(LogLine)>& each) {
  const LineRequest lines{log_target(request), {.name = "ecs"}, "ecs", "the logs"};
  read_lines(profile, lines, [&](std::string_view text) {
    LogLine line;
    wire::read_json(wire::type_of<LogLine>(), text, &line);
    return each(std::move(line));
  });
}

}  // namespace cli
