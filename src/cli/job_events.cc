// SPDX-License-Identifier: Apache-2.0
#include "cli/job_events.h"

#include <stdexcept>

namespace cli {

std::vector<ServerEvent> EventReader::add(std::string_view bytes) {
  std::vector<ServerEvent> events;
  for (char c : bytes) {
    const bool second_half = c == '\n' && after_cr_;
    after_cr_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      add_line(line_, events);
      line_.clear();
    } else {
      line_ += c;
    }
    if (line_.size() + data_.size() > kMaxEventBytes) {
      throw std::runtime_error("the server sent an event of more than " + std::to_string(kMaxEventBytes) + " bytes");
    }
  }
  return events;
}

void EventReader::add_line(std::string_view line, std::vector<ServerEvent>& events) {
  if (!line.empty()) {
    const std::size_t colon = line.find(':');
    if (colon == 0) return;  // a comment keeps the connection alive
    std::string_view value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    add_field(line.substr(0, colon), value);
    return;
  }
  if (has_data_) events.push_back({type_.empty() ? "message" : type_, data_, id_});
  has_data_ = false;
  type_.clear();
  data_.clear();
}

void EventReader::add_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id" && value.find('\0') == value.npos) {
    id_ = value;
  }
}

}  // namespace cli
