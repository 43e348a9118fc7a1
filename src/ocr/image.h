// SPDX-License-Identifier: Apache-2.0
// Decodes images with Leptonica. Runs in the recognising process only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <variant>

#include "ocr/answer.h"
#include "ocr/format.h"

struct Pix;

namespace ocr {

struct FreePix {
  void operator()(Pix* pix) const;
};

struct Image {
  std::unique_ptr<Pix, FreePix> pix;
  std::int32_t pages = 1;  // in the file
};

struct ImageLimits {
  std::int64_t max_pixels = 0;
  std::int32_t max_pages = 0;
};

// Page `page`, from 1, which only a TIFF has more than one of. The size is checked before pixels are decoded.
std::variant<Image, Failure> read_image(std::FILE* file, Format format, std::int32_t page, const ImageLimits& limits);

}  // namespace ocr
