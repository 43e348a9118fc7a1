// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/ranges.h"

#include <algorithm>
#include <charconv>

#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/objects/small_bytes.h"

namespace services::s3 {
namespace {

constexpr std::string_view kUnit = "bytes=";

// Digits only. A number that does not fit becomes the largest.
std::optional<std::uint64_t> parse_offset(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : UINT64_MAX;
}

wire::ApiError invalid_range(std::string_view text, std::uint64_t size) {
  return wire::ApiError("InvalidRange", "The requested range is not satisfiable")
      .with("RangeRequested", std::string(text))
      .with("ActualObjectSize", std::to_string(size))
      .with_header("Content-Range", "bytes */" + std::to_string(size));
}

// The number of the part that contains this byte. Parts lie in the order of their numbers, so that a binary search
// finds it among ten thousand.
std::int64_t part_at(store::Tx& tx, const Object& object, std::uint64_t offset) {
  std::int64_t low = 1, high = kMaxPartNumber;  // the number lies in this range
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    // The first part from the middle on.
    struct Found {
      std::int64_t number = 0;
      std::uint64_t start = 0;
    };
    auto found = tx.query("SELECT number, start FROM s3_object_parts WHERE object = $1 AND number >= $2"
                          " ORDER BY number LIMIT 1",
                          object.id, middle)
                     .one([](const store::Row& row) {
                       return Found{row.integer(0), static_cast<std::uint64_t>(row.integer(1))};
                     });
    if (found && found->start <= offset) {
      low = found->number;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::vector<Extent> read_part_extents(store::Tx& tx, const Object& object, const Range& range) {
  std::vector<Extent> extents;
  const std::uint64_t end = range.offset + range.length;
  tx.query("SELECT p.start, p.size, b.file, b.bytes, p.etag FROM s3_object_parts p JOIN s3_blobs b ON b.id = p.blob"
           " WHERE p.object = $1 AND p.number >= $2 AND p.number <= $3 ORDER BY p.number",
           object.id, part_at(tx, object, range.offset), part_at(tx, object, end - 1))
      .each([&](const store::Row& row) {
        const auto start = static_cast<std::uint64_t>(row.integer(0)), size = static_cast<std::uint64_t>(row.integer(1));
        const std::uint64_t from = std::max(start, range.offset) - start, to = std::min(start + size, end) - start;
        if (from >= to) return;
        Extent extent{.offset = from, .length = to - from};
        if (row.is_null(2)) {
          require_intact(row.text(3), {size, row.text(4)}, object);
          extent.bytes = row.text(3).substr(from, to - from);
          extent.offset = 0;
        } else {
          extent.file = row.str(2);
        }
        extents.push_back(std::move(extent));
      });
  return extents;
}

}  // namespace

std::optional<Range> parse_range(std::string_view text, std::uint64_t size) {
  if (!text.starts_with(kUnit)) return std::nullopt;
  std::string_view rest = text.substr(kUnit.size());
  const std::size_t dash = rest.find('-');
  if (dash == rest.npos) return std::nullopt;
  const std::string_view before = rest.substr(0, dash), after = rest.substr(dash + 1);
  if (before.empty()) {
    auto count = parse_offset(after);
    if (!count) return std::nullopt;
    if (*count == 0 || size == 0) throw invalid_range(text, size);
    const std::uint64_t length = std::min(*count, size);
    return Range{size - length, length};
  }
  auto first = parse_offset(before);
  auto last = parse_offset(after.empty() ? "18446744073709551615" : after);
  if (!first || !last || *last < *first) return std::nullopt;
  if (*first >= size) throw invalid_range(text, size);
  return Range{*first, std::min(*last, size - 1) - *first + 1};
}

Range parse_copy_range(const std::string& text, std::uint64_t size) {
  const std::string_view rest = text.starts_with(kUnit) ? std::string_view(text).substr(kUnit.size()) : "";
  const std::size_t dash = std::min(rest.find('-'), rest.size());
  auto first = parse_offset(rest.substr(0, dash));
  auto last = parse_offset(rest.substr(std::min(dash + 1, rest.size())));
  if (!first || !last || *last < *first) {
    throw invalid_argument("The x-amz-copy-source-range value must be of the form bytes=first-last where first and "
                           "last are the zero-based offsets of the first and last bytes to copy",
                           "x-amz-copy-source-range", text);
  }
  if (*first >= size) throw invalid_request("The specified copy range is invalid for the source object size");
  if (*last >= size) {
    throw invalid_argument("Range specified is not valid for source object of size: " + std::to_string(size),
                           "x-amz-copy-source-range", text);
  }
  return {*first, *last - *first + 1};
}

std::string content_range(const Range& range, std::uint64_t size) {
  return "bytes " + std::to_string(range.offset) + "-" + std::to_string(range.offset + range.length - 1) + "/" +
         std::to_string(size);
}

std::optional<ObjectPart> load_object_part(store::Tx& tx, const Object& object, std::int64_t number) {
  return tx
      .query("SELECT start, size, etag, checksum FROM s3_object_parts WHERE object = $1 AND number = $2", object.id,
             number)
      .one([&](const store::Row& row) {
        return ObjectPart{number,
                          {static_cast<std::uint64_t>(row.integer(0)), static_cast<std::uint64_t>(row.integer(1))},
                          row.str(2),
                          row.maybe_str(3)};
      });
}

std::vector<Extent> read_extents(store::Tx& tx, const Object& object, const Range& range) {
  if (range.length == 0) return {};
  if (object.parts > 0) return read_part_extents(tx, object, range);
  CHECK(object.blob) << "an object without bytes";
  Extent extent = read_blob(tx, *object.blob);
  if (extent.file.empty()) {
    const StoredChecksum* checksum = object.checksum ? &*object.checksum : nullptr;
    require_intact(extent.bytes, {static_cast<std::uint64_t>(object.size), object.etag, checksum}, object);
    if (range.length < extent.bytes.size()) extent.bytes = extent.bytes.substr(range.offset, range.length);
  } else {
    extent.offset = range.offset;
  }
  extent.length = range.length;
  return {std::move(extent)};
}

}  // namespace services::s3
