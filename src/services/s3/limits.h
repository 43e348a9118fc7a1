// SPDX-License-Identifier: Apache-2.0
// S3's limits, which are Amazon's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace services::s3 {

inline constexpr std::uint64_t kMaxPutBytes = 5ull << 30;  // a body, a part, and the source of a copy
inline constexpr std::uint64_t kMinPartBytes = 5ull << 20;  // except for the last part
inline constexpr std::int64_t kMaxPartNumber = 10000;
inline constexpr std::size_t kMaxKeyBytes = 1024;
inline constexpr std::size_t kMaxMetadataBytes = 2048;
inline constexpr std::size_t kMaxObjectTags = 10;
inline constexpr std::size_t kMaxDeletes = 1000;
inline constexpr std::int32_t kMaxPage = 1000;

}  // namespace services::s3
