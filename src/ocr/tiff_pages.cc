// SPDX-License-Identifier: Apache-2.0
#include "ocr/tiff_pages.h"

#include <optional>
#include <set>
#include <string>

namespace ocr {
namespace {

using Number = std::uint64_t;

// Tags of arrays: where the data of strips or tiles begin, and how long they are.
constexpr Number kStripOffsets = 273, kStripSizes = 279, kTileOffsets = 324, kTileSizes = 325;

// Reads numbers in the byte order of the file; none behind its end.
class TiffBytes {
 public:
  explicit TiffBytes(std::string_view bytes) : bytes_(bytes), little_(bytes.starts_with("II")) {
    big_ = number(2, 2) == Number{43};
  }

  std::optional<Number> number(Number at, unsigned size) const {
    if (!holds(at, size)) return std::nullopt;
    Number value = 0;
    for (unsigned i = 0; i < size; ++i) {
      const unsigned place = little_ ? size - 1 - i : i;
      value = value << 8 | static_cast<unsigned char>(bytes_[std::size_t(at + place)]);
    }
    return value;
  }
  bool holds(Number at, Number size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }

  // BigTIFF has wider numbers.
  unsigned count_size() const { return big_ ? 8 : 2; }
  unsigned entry_size() const { return big_ ? 20 : 12; }
  unsigned word_size() const { return big_ ? 8 : 4; }

  std::optional<Number> first_directory() const { return big_ ? number(8, 8) : number(4, 4); }

 private:
  std::string_view bytes_;
  bool little_;
  bool big_ = false;
};

// An array of numbers in an entry of a directory.
struct TiffArray {
  Number at = 0, count = 0;
  unsigned size = 0;  // of an element; 0: the entry is absent or has another type

  std::optional<Number> element(const TiffBytes& bytes, Number index) const { return bytes.number(at + index * size, size); }
};

unsigned element_size(Number type) {
  switch (type) {
    case 3: return 2;   // SHORT
    case 4: return 4;   // LONG
    case 16: return 8;  // LONG8
    default: return 0;
  }
}

// The array of the entry at `at`; none if it lies outside of the file.
std::optional<TiffArray> read_array(const TiffBytes& bytes, Number at) {
  const auto type = bytes.number(at + 2, 2), count = bytes.number(at + 4, bytes.word_size());
  if (!type || !count) return std::nullopt;
  TiffArray array{at + 4 + bytes.word_size(), *count, element_size(*type)};
  if (array.size == 0) return array;
  // What fits stands in the entry itself.
  if (array.count > bytes.word_size() / array.size) {
    const auto elsewhere = bytes.number(array.at, bytes.word_size());
    if (!elsewhere) return std::nullopt;
    array.at = *elsewhere;
  }
  // The division avoids an overflow.
  if (!bytes.holds(array.at, 0) || array.count > Number(-1) / 8 || !bytes.holds(array.at, array.count * array.size)) return std::nullopt;
  return array;
}

bool holds_data(const TiffBytes& bytes, const TiffArray& offsets, const TiffArray& sizes) {
  if (offsets.size == 0 || sizes.size == 0) return true;  // libtiff judges
  for (Number i = 0; i < offsets.count && i < sizes.count; ++i) {
    const auto at = offsets.element(bytes, i), size = sizes.element(bytes, i);
    if (!at || !size || !bytes.holds(*at, *size)) return false;
  }
  return true;
}

// Whether the entries and the data of the directory's page are in the file.
bool holds_page(const TiffBytes& bytes, Number entries, Number count) {
  TiffArray strips, strip_sizes, tiles, tile_sizes;
  for (Number i = 0; i < count; ++i) {
    const Number at = entries + i * bytes.entry_size();
    const auto tag = bytes.number(at, 2);
    if (!tag) return false;
    TiffArray* into = *tag == kStripOffsets  ? &strips
                      : *tag == kStripSizes  ? &strip_sizes
                      : *tag == kTileOffsets ? &tiles
                      : *tag == kTileSizes   ? &tile_sizes
                                             : nullptr;
    if (!into) continue;
    const auto array = read_array(bytes, at);
    if (!array) return false;
    *into = *array;
  }
  return holds_data(bytes, strips, strip_sizes) && holds_data(bytes, tiles, tile_sizes);
}

}  // namespace

base::Result<std::int32_t> count_tiff_pages(std::string_view text, std::int32_t max_pages) {
  const TiffBytes bytes(text);
  std::set<Number> seen;
  auto directory = bytes.first_directory();
  std::int32_t pages = 0;
  while (directory && *directory != 0 && pages <= max_pages) {
    const std::string page = std::to_string(++pages);
    if (!seen.insert(*directory).second) return base::Error{"the directories of the TIFF form a loop at page " + page};
    const auto count = bytes.number(*directory, bytes.count_size());
    const Number entries = *directory + bytes.count_size();
    if (!count || *count > text.size() || !bytes.holds(entries, *count * bytes.entry_size()) || !holds_page(bytes, entries, *count)) {
      return base::Error{"the data of page " + page + " of the TIFF are outside of the file: it is damaged or cut off"};
    }
    directory = bytes.number(entries + *count * bytes.entry_size(), bytes.word_size());
  }
  if (!directory) return base::Error{"the TIFF ends in the middle of a directory: it is damaged or cut off"};
  if (pages == 0) return base::Error{"the TIFF has no pages"};
  return pages;
}

}  // namespace ocr
