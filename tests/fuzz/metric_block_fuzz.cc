// SPDX-License-Identifier: Apache-2.0
// Any bytes as a block of metric points, as a batch of the journal and as the key of a metric: an error, or points that
// are encoded and decoded again without a change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "telemetry/metrics/block.h"
#include "telemetry/metrics/journal.h"

using namespace telemetry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  decode_block(bytes, false);
  if (auto points = decode_block(bytes, true)) {
    points->sort();
    std::size_t samples = 0;
    for (const EncodedBlock& block : encode_blocks(*points)) {
      const auto again = decode_block(block.bytes, true);
      if (!again) std::abort();
      samples += again->samples.size();
    }
    if (samples != points->samples.size()) std::abort();
  }
  if (auto batch = decode_batch(bytes)) {
    if (!decode_batch(encode_batch(*batch))) std::abort();
  }
  if (auto metric = parse_metric_key(bytes)) {
    if (!parse_metric_key(metric_key(*metric))) std::abort();
  }
  return 0;
}
