// SPDX-License-Identifier: Apache-2.0
// gzip, for compressed request bodies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace http {

// Decompresses at most `limit` bytes and returns an error beyond that: a few kilobytes
// can decompress to gigabytes.
base::Result<std::string> gunzip(std::string_view compressed, std::size_t limit);

std::string gzip(std::string_view bytes);

}  // namespace http
