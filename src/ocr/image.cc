// SPDX-License-Identifier: Apache-2.0
#include "ocr/image.h"

#include <fmt/format.h>
#include <leptonica/allheaders.h>
#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <string>

#include "ocr/tiff_pages.h"

namespace ocr {
namespace {

constexpr long kTailBytes = 64;

struct Size {
  l_int32 width = 0, height = 0;
};

// From the header, without decoding.
std::optional<Size> read_size(std::FILE* file, Format format, std::int32_t page) {
  Size size;
  bool failed = true;
  std::rewind(file);
  switch (format) {
    case Format::Png: failed = freadHeaderPng(file, &size.width, &size.height, nullptr, nullptr, nullptr); break;
    case Format::Jpeg: failed = freadHeaderJpeg(file, &size.width, &size.height, nullptr, nullptr, nullptr); break;
    case Format::Pnm: failed = freadHeaderPnm(file, &size.width, &size.height, nullptr, nullptr, nullptr, nullptr); break;
    case Format::Tiff: {
      l_int32 bits, samples, resolution, colours, compression;
      failed = freadHeaderTiff(file, page - 1, &size.width, &size.height, &bits, &samples, &resolution, &colours, &compression);
      break;
    }
    case Format::Pdf:
    case Format::Unknown: break;
  }
  std::rewind(file);
  if (failed || size.width <= 0 || size.height <= 0) return std::nullopt;
  return size;
}

std::variant<std::int32_t, Failure> count_pages(std::FILE* file, const ImageLimits& limits) {
  std::fseek(file, 0, SEEK_END);
  const std::size_t size = std::size_t(std::max(std::ftell(file), 0l));
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, ::fileno(file), 0);
  if (mapped == MAP_FAILED) return Failure{kTooLarge, fmt::format("the TIFF has {} bytes, more than fit into memory", size)};
  const auto pages = count_tiff_pages({static_cast<const char*>(mapped), size}, limits.max_pages);
  ::munmap(mapped, size);
  if (!pages) return Failure{kBrokenFile, pages.error()};
  if (*pages > limits.max_pages) {
    return Failure{kTooLarge, fmt::format("the TIFF has more than {} pages (--max-pages)", limits.max_pages)};
  }
  return *pages;
}

// A JPEG that was cut off has no end marker; its missing rows would be grey.
bool has_jpeg_end(std::FILE* file) {
  unsigned char tail[kTailBytes];
  std::fseek(file, 0, SEEK_END);
  std::fseek(file, -std::min(kTailBytes, std::ftell(file)), SEEK_CUR);
  const std::size_t got = std::fread(tail, 1, sizeof tail, file);
  for (std::size_t i = 0; i + 1 < got; ++i) {
    if (tail[i] == 0xFF && tail[i + 1] == 0xD9) return true;
  }
  return false;
}

Pix* decode_jpeg(std::FILE* file) {
  l_int32 warnings = 0;
  Pix* pix = pixReadStreamJpeg(file, 0, 1, &warnings, 0);
  // Cameras write files with small faults that decode well.
  if (pix && warnings > 0 && !has_jpeg_end(file)) pixDestroy(&pix);
  return pix;
}

Pix* decode(std::FILE* file, Format format, std::int32_t page) {
  switch (format) {
    case Format::Png: return pixReadStreamPng(file);
    case Format::Jpeg: return decode_jpeg(file);
    case Format::Pnm: return pixReadStreamPnm(file);
    case Format::Tiff: return pixReadStreamTiff(file, page - 1);
    case Format::Pdf:
    case Format::Unknown: return nullptr;
  }
  return nullptr;
}

const char* name_of(Format format) {
  switch (format) {
    case Format::Png: return "PNG";
    case Format::Jpeg: return "JPEG";
    case Format::Tiff: return "TIFF";
    default: return "image of a PDF page";
  }
}

}  // namespace

void FreePix::operator()(Pix* pix) const { pixDestroy(&pix); }

std::variant<Image, Failure> read_image(std::FILE* file, Format format, std::int32_t page, const ImageLimits& limits) {
  setMsgSeverity(L_SEVERITY_NONE);
  Image image;
  if (format == Format::Tiff) {
    auto counted = count_pages(file, limits);
    if (Failure* failure = std::get_if<Failure>(&counted)) return std::move(*failure);
    image.pages = std::get<std::int32_t>(counted);
  }
  const auto size = read_size(file, format, page);
  if (!size) return Failure{kBrokenFile, fmt::format("the header of the {} is invalid", name_of(format))};
  if (std::int64_t(size->width) * size->height > limits.max_pixels) {
    return Failure{kTooLarge, fmt::format("page {} has {} x {} pixels; the limit is {} megapixels (--max-megapixels)", page,
                                          size->width, size->height, limits.max_pixels / 1'000'000)};
  }
  image.pix.reset(decode(file, format, page));
  if (!image.pix) {
    return Failure{kBrokenFile, fmt::format("page {} of the {} can't be decoded: it is damaged or cut off", page, name_of(format))};
  }
  return image;
}

}  // namespace ocr
