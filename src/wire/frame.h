// SPDX-License-Identifier: Apache-2.0
// ECS's agent protocol, one text frame: {"type": "<Shape>", "message": {...}}.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace wire {

struct Frame {
  std::string type;
  std::string message;  // a JSON object
};

base::Result<Frame> read_frame(std::string_view text);

// Throws ApiError SerializationException for invalid JSON. Absent members keep their defaults.
template <class T>
T read_message(const Frame& frame) {
  T value;
  read_json(type_of<T>(), frame.message, &value);
  return value;
}

template <class T>
std::string write_frame(std::string_view type, const T& message) {
  std::string out = R"({"type":)";
  write_json_string(type, out);
  out += R"(,"message":)";
  write_json(type_of<T>(), &message, out);
  out += '}';
  return out;
}

}  // namespace wire
