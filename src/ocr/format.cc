// SPDX-License-Identifier: Apache-2.0
#include "ocr/format.h"

#include <array>

#include "base/utf8.h"

namespace ocr {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view name;
};

// Formats that people send by mistake.
constexpr std::array kOtherFormats = {
    Signature{"GIF8"sv, "a GIF image"},
    Signature{"BM"sv, "a BMP image"},
    Signature{"RIFF"sv, "a WebP image, or sound or video"},
    Signature{"\0\0\0\x0CjP  "sv, "a JPEG 2000 image"},
    Signature{"\0\0\0\x0CJXL "sv, "a JPEG XL image"},
    Signature{"PK\x03\x04"sv, "a ZIP archive or an office document"},
    Signature{"\xD0\xCF\x11\xE0"sv, "an old office document"},
    Signature{"\x1F\x8B"sv, "gzip data"},
    Signature{"%!PS"sv, "a PostScript document"},
    Signature{"{\\rtf"sv, "an RTF document"},
    Signature{"<"sv, "HTML, SVG or XML text"},
};

bool has_heif_brand(std::string_view head) { return head.size() >= 12 && head.substr(4, 4) == "ftyp"; }

}  // namespace

Format detect_format(std::string_view head) {
  if (head.starts_with("\x89PNG\r\n\x1A\n"sv)) return Format::Png;
  if (head.starts_with("\xFF\xD8\xFF"sv)) return Format::Jpeg;
  // 42 is TIFF, 43 BigTIFF.
  for (std::string_view magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (head.starts_with(magic)) return Format::Tiff;
  }
  if (head.substr(0, kFormatBytes).find("%PDF-") != head.npos) return Format::Pdf;
  return Format::Unknown;
}

std::string describe_bytes(std::string_view head) {
  if (head.empty()) return "an empty file";
  if (has_heif_brand(head)) return "a HEIF or AVIF image, or video";
  for (const Signature& other : kOtherFormats) {
    if (head.starts_with(other.bytes)) return std::string(other.name);
  }
  // A character may be cut off at the end of the head.
  const std::string_view whole = head.substr(0, head.size() > 4 ? head.size() - 4 : head.size());
  return base::is_utf8(whole) && whole.find('\0') == whole.npos ? "plain text" : "data of an unknown format";
}

}  // namespace ocr
