// SPDX-License-Identifier: Apache-2.0
// gzip, for request bodies that come compressed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace http {

// The bytes that `compressed` holds, `limit` at most: a few kilobytes can hold
// gigabytes, so it stops there and says so.
base::Result<std::string> gunzip(std::string_view compressed, std::size_t limit);

std::string gzip(std::string_view bytes);

}  // namespace http
