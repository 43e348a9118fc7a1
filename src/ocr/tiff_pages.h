// SPDX-License-Identifier: Apache-2.0
// The directories of a TIFF, one a page. libtiff takes a file that was cut off for one with fewer pages, or fills the
// missing rows: this finds out before.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ocr {

// The number of pages; max_pages + 1 if there are more. An error if a directory or the data of a page lies outside of
// the file, or if the directories form a loop.
base::Result<std::int32_t> count_tiff_pages(std::string_view bytes, std::int32_t max_pages);

}  // namespace ocr
