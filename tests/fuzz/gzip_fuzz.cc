// SPDX-License-Identifier: Apache-2.0
// Any bytes as gzip: the result stays within the limit. Bytes that we compress decompress to
// themselves.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLimit = 100'000;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto unpacked = http::gunzip(bytes, kLimit);
  CHECK(!unpacked || unpacked->size() <= kLimit) << "unpacked past the limit";
  auto again = http::gunzip(http::gzip(bytes), size);
  CHECK(again && *again == bytes) << "gzip and gunzip disagree";
  return 0;
}
