// SPDX-License-Identifier: Apache-2.0
// @ptr: identifies an event of any group. Insights returns it, GetLogRecord takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/logs/event.h"

namespace services::logs {

struct EventPointer {
  std::int64_t group = 0;
  telemetry::EventKey key;
};

std::string to_text(const EventPointer& pointer);
// nullopt for other text.
std::optional<EventPointer> parse_event_pointer(std::string_view text);

}  // namespace services::logs
