// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace wire {

base::Result<Frame> read_frame(std::string_view text) {
  boost::system::error_code error;
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::json::value value = boost::json::parse(boost::json::string_view(text), error, {}, options);
  if (error) return base::Error{"the frame is not JSON: " + error.message()};
  const boost::json::object* frame = value.if_object();
  const boost::json::value* type = frame ? frame->if_contains("type") : nullptr;
  if (!type || !type->is_string()) return base::Error{"the frame has no type"};
  const boost::json::value* message = frame->if_contains("message");
  if (message && !message->is_object()) return base::Error{"the frame's message is not an object"};
  return Frame{std::string(type->as_string()), message ? boost::json::serialize(*message) : "{}"};
}

}  // namespace wire
