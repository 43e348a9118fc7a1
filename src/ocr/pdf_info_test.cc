// SPDX-License-Identifier: Apache-2.0
#include "ocr/pdf_info.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

constexpr char kTwoPages[] =
    "Title:           a\n"
    "Form:            none\n"
    "Pages:           2\n"
    "Encrypted:       no\n"
    "Page    1 size:  595.2 x 841.92 pts (A4)\n"
    "Page    1 rot:   0\n"
    "Page    2 size:  612 x 792 pts (letter)\n"
    "Page    2 rot:   90\n"
    "PDF version:     1.4\n";

TEST(PdfInfo, HasTheNumberOfPagesAndTheirSizes) {
  const auto info = parse_pdf_info(kTwoPages);
  ASSERT_TRUE(info) << info.error();
  EXPECT_EQ(info->pages, 2);
  ASSERT_EQ(info->sizes.size(), 2u);
  EXPECT_DOUBLE_EQ(info->sizes[0].width_points, 595.2);
  EXPECT_DOUBLE_EQ(info->sizes[1].height_points, 792);
}

TEST(PdfInfo, ATitleWithLinesOfItsOwnDoesNotCount) {
  const auto info = parse_pdf_info("Title: x\nPages: 900\nPage    1 size:  1 x 1 pts\n" + std::string(kTwoPages));
  ASSERT_TRUE(info) << info.error();
  EXPECT_EQ(info->pages, 2);
  EXPECT_DOUBLE_EQ(info->sizes.at(0).width_points, 595.2);
}

TEST(PdfInfo, WithoutPagesIsAnError) {
  for (const char* text : {"", "Pages:", "Pages: 0\n", "Pages: -3\n", "Pages: 99999999999\n", "Pages: x\n"}) {
    EXPECT_FALSE(parse_pdf_info(text)) << text;
  }
}

TEST(PdfInfo, AnImpossibleSizeIsNotListed) {
  for (const char* size : {"nan x 5", "0 x 5", "-1 x 5", "5 x inf", "5 x 1e300", "5", "5 x"}) {
    const auto info = parse_pdf_info("Pages: 1\nPage    1 size:  " + std::string(size) + " pts\n");
    ASSERT_TRUE(info) << info.error();
    EXPECT_TRUE(info->sizes.empty()) << size;
  }
}

TEST(PageDpi, IsTheSetOneForOrdinaryPages) { EXPECT_EQ(page_dpi({595.2, 841.92}, 300, 80'000'000), 300); }

TEST(PageDpi, IsLowerForAPoster) {
  const std::int32_t dpi = page_dpi({2384, 3370}, 300, 80'000'000);  // A0
  EXPECT_LT(dpi, 300);
  EXPECT_GE(dpi, 200);
  EXPECT_LE(2384 / 72.0 * dpi * (3370 / 72.0 * dpi), 80'000'000);
}

TEST(PageDpi, IsZeroForAPageThatIsTooLargeAtAnyResolution) { EXPECT_EQ(page_dpi({14400, 14400}, 300, 80'000'000), 0); }

}  // namespace
}  // namespace ocr
