// SPDX-License-Identifier: Apache-2.0
// The texts in S3's headers and query strings: ranges, copy sources, tags, ETags, versions, dates,
// metadata.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/copy_source.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/objects/ranges.h"
#include "wire/encoded_word.h"
#include "wire/error.h"
#include "wire/timestamp.h"

using namespace services::s3;

namespace {

template <class Fn>
void try_to(Fn&& fn) {
  try {
    fn();
  } catch (const wire::ApiError&) {
  }
}

void check_within(const Range& range, std::uint64_t size) {
  CHECK(range.length > 0 && range.offset < size && range.length <= size - range.offset) << "a range beyond the object";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (std::uint64_t bytes : {std::uint64_t(0), std::uint64_t(1), std::uint64_t(1000), UINT64_MAX / 2}) {
    try_to([&] {
      if (auto range = parse_range(text, bytes)) check_within(*range, bytes);
    });
    try_to([&] { check_within(parse_copy_range(text, bytes), bytes); });
  }
  try_to([&] {
    const CopySource source = parse_copy_source(text);
    CHECK(!source.bucket.empty() && !source.key.empty()) << "a source without a name";
  });
  try_to([&] { CHECK(read_tag_header(text).size() <= 10) << "too many tags"; });
  etag_matches(text, "5d41402abc4b2a76b9719d911017c592");
  if (auto row_id = parse_row_id(text)) {
    CHECK(row_id_text(*row_id) == text) << "two texts for a version";
  }
  if (auto kept = stored_encoding(text)) {
    CHECK(!kept->empty() || text.empty()) << "an encoding of nothing";
  }
  wire::from_rfc822(text);
  if (auto decoded = wire::from_encoded_words(text)) {
    CHECK(base::is_utf8(*decoded)) << "decoded text that is not UTF-8";
  }
  for (char c : wire::to_encoded_words(text)) {
    CHECK(static_cast<unsigned char>(c) < 0x80) << "metadata that is not ASCII";
  }
  return 0;
}
