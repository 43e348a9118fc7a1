// SPDX-License-Identifier: Apache-2.0
// application/vnd.amazon.eventstream: frames of headers and a payload, with checksums.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace wire {

// A header's name and its text. A name has up to 255 bytes, a value up to 32,767.
using EventHeader = std::pair<std::string_view, std::string_view>;

std::string encode_event(std::initializer_list<EventHeader> headers, std::string_view payload);

}  // namespace wire
