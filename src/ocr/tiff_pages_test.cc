// SPDX-License-Identifier: Apache-2.0
#include "ocr/tiff_pages.h"

#include <gmock/gmock.h>

namespace ocr {
namespace {

using testing::HasSubstr;

// Builds a little-endian TIFF of pages with one strip each.
class TiffFile {
 public:
  TiffFile() { bytes_.assign("II*\0\0\0\0\0", 8); }

  void add_page(std::uint32_t strip_bytes = 10) {
    put(link_, std::uint32_t(bytes_.size()), 4);
    bytes_ += std::string("\2\0", 2);
    const std::uint32_t strip = std::uint32_t(bytes_.size()) + 2 * 12 + 4;
    entry(273, strip);
    entry(279, strip_bytes);
    link_ = bytes_.size();
    bytes_.append(4, '\0');
    bytes_.append(10, 'x');
  }
  void add_page_after_its_data() {
    const std::uint32_t strip = std::uint32_t(bytes_.size());
    bytes_.append(10, 'x');
    put(link_, std::uint32_t(bytes_.size()), 4);
    bytes_ += std::string("\2\0", 2);
    entry(273, strip);
    entry(279, 10);
    link_ = bytes_.size();
    bytes_.append(4, '\0');
  }
  void link_to(std::uint32_t at) { put(link_, at, 4); }

  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::size_t at, std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_[at + std::size_t(i)] = char(value >> 8 * i);
  }
  void entry(std::uint32_t tag, std::uint32_t value) {
    const std::size_t at = bytes_.size();
    bytes_.append(12, '\0');
    put(at, tag, 2);
    put(at + 2, 4, 2);
    put(at + 4, 1, 4);
    put(at + 8, value, 4);
  }

  std::string bytes_;
  std::size_t link_ = 4;
};

TiffFile pages(int count) {
  TiffFile file;
  for (int i = 0; i < count; ++i) file.add_page();
  return file;
}

TEST(TiffPages, AreItsDirectories) {
  EXPECT_EQ(*count_tiff_pages(pages(1).bytes(), 10), 1);
  EXPECT_EQ(*count_tiff_pages(pages(3).bytes(), 10), 3);
}

TEST(TiffPages, AreCountedToOneMoreThanTheLimit) { EXPECT_EQ(*count_tiff_pages(pages(9).bytes(), 3), 4); }

TEST(TiffPages, OfAFileThatWasCutOffAreAnErrorAtEveryLength) {
  const std::string whole = pages(3).bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(count_tiff_pages(whole.substr(0, length), 10)) << length;
  }
}

// Its last bytes are the link to the next directory, so nothing else is missing.
TEST(TiffPages, OfAFileWithoutTheEndOfItsLastDirectoryAreAnError) {
  TiffFile file = pages(1);
  file.add_page_after_its_data();
  const std::string whole = file.bytes();
  EXPECT_EQ(*count_tiff_pages(whole, 10), 2);
  for (std::size_t missing = 1; missing <= 4; ++missing) {
    const auto counted = count_tiff_pages(whole.substr(0, whole.size() - missing), 10);
    ASSERT_FALSE(counted) << missing;
    EXPECT_THAT(counted.error(), HasSubstr("middle of a directory"));
  }
}

TEST(TiffPages, ThatFormALoopAreAnError) {
  TiffFile file = pages(2);
  file.link_to(8);
  const auto counted = count_tiff_pages(file.bytes(), 100);
  ASSERT_FALSE(counted);
  EXPECT_THAT(counted.error(), HasSubstr("loop at page 3"));
}

TEST(TiffPages, WithDataOutsideOfTheFileAreAnError) {
  TiffFile file = pages(1);
  file.add_page(0xFFFFFFFF);
  const auto counted = count_tiff_pages(file.bytes(), 100);
  ASSERT_FALSE(counted);
  EXPECT_THAT(counted.error(), HasSubstr("page 2"));
}

}  // namespace
}  // namespace ocr
