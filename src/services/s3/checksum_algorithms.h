// SPDX-License-Identifier: Apache-2.0
// The checksum algorithms of S3, and the headers x-amz-checksum-* that name them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/checksum.h"

namespace services::s3 {

struct ChecksumAlgorithm {
  std::string_view name;               // "CRC32"
  std::optional<base::Checksum> kind;  // nullopt: S3 has it, and Stoker does not support it
  std::size_t bytes = 0;               // of a value; 0 where it is not supported
};

// Those that Stoker supports come first.
std::span<const ChecksumAlgorithm> checksum_algorithms();

// In any case; nullptr where S3 has no such algorithm.
const ChecksumAlgorithm* find_checksum_algorithm(std::string_view name);

// "crc32" of "X-Amz-Checksum-CRC32", whether S3 has that algorithm or not. nullopt for other headers, of which
// x-amz-checksum-type, -mode and -algorithm are some.
std::optional<std::string> algorithm_of_header(std::string_view header);

}  // namespace services::s3
