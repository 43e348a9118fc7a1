// SPDX-License-Identifier: Apache-2.0
// Any bytes as a write-ahead log: a verdict, and no frame is counted that is not there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/log_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.size() < store::LogScan::kHeaderBytes) return 0;
  store::LogScan scan(bytes.substr(0, store::LogScan::kHeaderBytes));
  bytes.remove_prefix(store::LogScan::kHeaderBytes);
  std::uint64_t frames = 0;
  for (; bytes.size() >= scan.frame_bytes(); bytes.remove_prefix(scan.frame_bytes())) {
    scan.add(bytes.substr(0, scan.frame_bytes()));
    ++frames;
  }
  const auto damage = scan.damage();
  if (damage && (damage->lost_frames > frames || damage->lost_commits > damage->lost_frames || damage->frame > frames)) std::abort();
  return 0;
}
