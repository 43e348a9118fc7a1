// SPDX-License-Identifier: Apache-2.0
// MIME messages in user data: each part is a document of its own.
#include <algorithm>

#include "base/bytes.h"
#include "services/ec2/user_data.h"

namespace services::ec2::detail {
namespace {

// A line and its end; "\r\n" counts as one.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Names in lower case. Leaves the body in `text`.
std::map<std::string, std::string> take_headers(std::string_view& text) {
  std::map<std::string, std::string> headers;
  std::string last;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if ((line.front() == ' ' || line.front() == '\t') && !last.empty()) {
      headers[last] += " " + std::string(base::trim(line));  // a folded header
    } else if (colon != line.npos) {
      last = base::to_lower(base::trim(line.substr(0, colon)));
      headers[last] = base::trim(line.substr(colon + 1));
    }
  }
  return headers;
}

std::string boundary_of(const std::string& content_type) {
  const std::size_t at = base::to_lower(content_type).find("boundary=");
  if (at == std::string::npos) return "";
  std::string_view value = std::string_view(content_type).substr(at + 9);
  if (value.starts_with('"')) {
    value.remove_prefix(1);
    return std::string(value.substr(0, value.find('"')));
  }
  return std::string(base::trim(value.substr(0, value.find(';'))));
}

void run_part(std::string_view part, ConfigFile& file, int depth) {
  auto headers = take_headers(part);
  const std::string type = base::to_lower(headers["content-type"]);
  std::string decoded;
  if (base::to_lower(headers["content-transfer-encoding"]) == "base64") {
    std::string compact(part);
    std::erase_if(compact, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    decoded = base::from_base64(compact).value_or("");
    part = decoded;
  }
  if (type.starts_with("multipart/")) {
    run_mime(headers["content-type"].insert(0, "Content-Type: ") + "\n\n" + std::string(part), file, depth + 1);
  } else if (type.starts_with("text/cloud-config")) {
    run_cloud_config(part, file, depth + 1);
  } else if (type.starts_with("text/x-shellscript") || type.starts_with("text/cloud-boothook")) {
    run_shell(part, file, depth + 1);
  } else {
    run_document(part, file, depth + 1);
  }
}

}  // namespace

bool is_mime(std::string_view text) {
  const std::string start = base::to_lower(text.substr(0, 64));
  return start.starts_with("content-type: multipart/") || start.starts_with("mime-version:");
}

void run_mime(std::string_view text, ConfigFile& file, int depth) {
  if (depth > kMaxDepth) return;
  auto headers = take_headers(text);
  const std::string boundary = boundary_of(headers["content-type"]);
  if (boundary.empty()) return;
  std::string part;
  bool inside = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const bool delimiter = line.starts_with("--") && line.substr(2).starts_with(boundary);
    const bool last = delimiter && line.substr(2 + boundary.size()).starts_with("--");
    if (!delimiter) {
      if (inside) part.append(line).append("\n");
      continue;
    }
    if (inside) run_part(part, file, depth);
    part.clear();
    inside = !last;
    if (last) return;
  }
  if (inside) run_part(part, file, depth);
}

}  // namespace services::ec2::detail
