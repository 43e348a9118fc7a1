// SPDX-License-Identifier: Apache-2.0
// Reads server-sent events (text/event-stream) from pieces of any size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ServerEvent {
  std::string type;  // "message" where the stream names none
  std::string data;
  std::string id;  // the last one that the stream has set
};

class EventReader {
 public:
  static constexpr std::size_t kMaxEventBytes = 4 * 1024 * 1024;

  // The events that these bytes complete. Throws std::runtime_error for an event of more than kMaxEventBytes.
  std::vector<ServerEvent> add(std::string_view bytes);

 private:
  void add_line(std::string_view line, std::vector<ServerEvent>& events);
  void add_field(std::string_view name, std::string_view value);

  std::string line_;
  bool after_cr_ = false;  // a line feed that follows belongs to the same line end
  bool has_data_ = false;
  std::string type_, data_, id_;
};

}  // namespace cli
