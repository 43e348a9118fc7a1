// SPDX-License-Identifier: Apache-2.0
// What poppler's pdfinfo prints about a document. Its input is hostile, so its output may be anything.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ocr {

struct PageSize {
  double width_points = 0;  // 72 an inch
  double height_points = 0;
};

struct PdfInfo {
  std::int32_t pages = 0;
  std::vector<PageSize> sizes;  // of the pages that were listed, in order
};

// `pdfinfo -f 1 -l N` prints "Pages:  3" and "Page    1 size:  595.2 x 841.9 pts (A4)" among other lines.
base::Result<PdfInfo> parse_pdf_info(std::string_view output);

// The resolution at which the page has at most `max_pixels`, `dpi` at most; 0: not even at the lowest one.
std::int32_t page_dpi(const PageSize& size, std::int32_t dpi, std::int64_t max_pixels);

}  // namespace ocr
