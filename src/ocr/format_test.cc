// SPDX-License-Identifier: Apache-2.0
#include "ocr/format.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

using namespace std::string_view_literals;

TEST(Format, IsKnownByTheFirstBytes) {
  EXPECT_EQ(detect_format("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"sv), Format::Png);
  EXPECT_EQ(detect_format("\xFF\xD8\xFF\xE0\0\x10JFIF"sv), Format::Jpeg);
  EXPECT_EQ(detect_format("II*\0\x08\0\0\0"sv), Format::Tiff);
  EXPECT_EQ(detect_format("MM\0*\0\0\0\x08"sv), Format::Tiff);
  EXPECT_EQ(detect_format("II+\0\x08\0\0\0"sv), Format::Tiff);
  EXPECT_EQ(detect_format("%PDF-1.7\n"), Format::Pdf);
}

TEST(Format, APdfMayBeginBehindOtherBytes) {
  EXPECT_EQ(detect_format("\r\n\r\n%PDF-1.4"), Format::Pdf);
  EXPECT_EQ(detect_format(std::string(kFormatBytes, ' ') + "%PDF-1.4"), Format::Unknown);
}

TEST(Format, ACutSignatureIsUnknown) {
  for (std::string_view head : {""sv, "\x89PNG"sv, "\xFF\xD8"sv, "II*"sv, "%PDF"sv}) {
    EXPECT_EQ(detect_format(head), Format::Unknown) << head;
  }
}

TEST(Format, PortableAnymapsOfClientsAreUnknown) { EXPECT_EQ(detect_format("P5\n10 10\n255\n"), Format::Unknown); }

TEST(Format, AnUnsupportedFileIsDescribed) {
  EXPECT_EQ(describe_bytes(""), "an empty file");
  EXPECT_EQ(describe_bytes("GIF89a"), "a GIF image");
  EXPECT_EQ(describe_bytes("\0\0\0\x18" "ftypheic"sv), "a HEIF or AVIF image, or video");
  EXPECT_EQ(describe_bytes("PK\x03\x04..."), "a ZIP archive or an office document");
  EXPECT_EQ(describe_bytes("Dear Sir or Madam"), "plain text");
  EXPECT_EQ(describe_bytes("gr\xC3\xBC\xC3\x9F"), "plain text");
  EXPECT_EQ(describe_bytes("\x01\xFF\x02\xFE\x03\x04\x05"), "data of an unknown format");
}

}  // namespace
}  // namespace ocr
