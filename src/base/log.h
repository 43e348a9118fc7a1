// SPDX-License-Identifier: Apache-2.0
// One event a line: time, level, event, then key=value. Past tense. Always with the
// request id, never with a secret.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace base {

enum class LogLevel { Debug, Info, Warn, Error, Off };

struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  template <std::integral T>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

void set_log_level(LogLevel level);
bool logs(LogLevel level);
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

inline void log_debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
  if (logs(LogLevel::Debug)) log(LogLevel::Debug, event, fields);
}
inline void log_info(std::string_view event, std::initializer_list<LogField> fields = {}) {
  if (logs(LogLevel::Info)) log(LogLevel::Info, event, fields);
}
inline void log_warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Warn, event, fields);
}
inline void log_error(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Error, event, fields);
}

}  // namespace base
