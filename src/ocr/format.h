// SPDX-License-Identifier: Apache-2.0
// The format of a file, by its first bytes. Names and content types are often wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ocr {

enum class Format : std::uint8_t { Unknown, Png, Jpeg, Tiff, Pdf, Pnm };

inline constexpr std::size_t kFormatBytes = 1024;  // PDF readers look for "%PDF-" in these

// Never Pnm: that is how pages of a PDF are rendered, not what clients send.
Format detect_format(std::string_view head);

// What the bytes of an unsupported format look like, for its error: "a GIF image".
std::string describe_bytes(std::string_view head);

}  // namespace ocr
