// SPDX-License-Identifier: Apache-2.0
// Pages of a PDF as images. Poppler's programs do the work, confined, each in a process of its own: they read the
// document from standard input and write to standard output, so that they need no file.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "ocr/answer.h"
#include "ocr/child.h"
#include "ocr/descriptor.h"
#include "ocr/limits.h"
#include "ocr/pdf_info.h"

namespace ocr {

// Number and sizes of the pages; fails for more pages than `limits` allow. `file` is an open file.
std::variant<PdfInfo, Failure> read_pdf_info(int file, const Limits& limits, Deadline deadline);

// The page as a grey image (PGM) in a file without a name.
std::variant<Descriptor, Failure> render_page(int file, std::int32_t page, std::int32_t dpi, const Limits& limits,
                                              Deadline deadline);

}  // namespace ocr
