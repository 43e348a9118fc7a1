// SPDX-License-Identifier: Apache-2.0
// Bounds on what one file may take. The flags of stoker-ocr set them.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace ocr {

struct Limits {
  std::int64_t max_pixels = 80'000'000;  // of a page. A3 at 600 dpi has 70 million
  std::int32_t max_pages = 500;
  std::int32_t dpi = 300;                                // of rendered pages
  base::Duration timeout = std::chrono::hours(1);        // for a file; the worker has one of its own, for an item
  std::int64_t render_memory_bytes = 1ll << 30;          // address space of a PDF program
  base::Duration render_cpu = std::chrono::seconds(60);  // processor time for a page of a PDF
};

// A page of a PDF that would be too large at the set resolution is rendered at a lower one, but not below this.
inline constexpr std::int32_t kMinDpi = 100;

// Address space of the recognising process. An RGB page with its copies takes 11 bytes a pixel (measured).
inline std::int64_t engine_memory_bytes(const Limits& limits) { return (1ll << 30) + 24 * limits.max_pixels; }

}  // namespace ocr
