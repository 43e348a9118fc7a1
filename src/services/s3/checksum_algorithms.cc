// SPDX-License-Identifier: Apache-2.0
#include "services/s3/checksum_algorithms.h"

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "base/headers.h"

namespace services::s3 {
namespace {

using base::Checksum;

constexpr ChecksumAlgorithm kAlgorithms[] = {
    {"CRC32", Checksum::Crc32, 4},    {"CRC32C", Checksum::Crc32c, 4},  {"CRC64NVME", Checksum::Crc64Nvme, 8},
    {"SHA1", Checksum::Sha1, 20},     {"SHA256", Checksum::Sha256, 32}, {"SHA512", std::nullopt},
    {"MD5", std::nullopt},            {"XXHASH64", std::nullopt},       {"XXHASH3", std::nullopt},
    {"XXHASH128", std::nullopt}};
constexpr std::string_view kChecksumPrefix = "x-amz-checksum-";
constexpr std::string_view kOtherSuffixes[] = {"algorithm", "mode", "type"};

}  // namespace

std::span<const ChecksumAlgorithm> checksum_algorithms() { return kAlgorithms; }

const ChecksumAlgorithm* find_checksum_algorithm(std::string_view name) {
  for (const ChecksumAlgorithm& algorithm : kAlgorithms) {
    if (base::equals_ignoring_case(algorithm.name, name)) return &algorithm;
  }
  return nullptr;
}

std::optional<std::string> algorithm_of_header(std::string_view header) {
  std::string name = base::to_lower(header);
  if (!name.starts_with(kChecksumPrefix)) return std::nullopt;
  name.erase(0, kChecksumPrefix.size());
  const bool other = std::find(std::begin(kOtherSuffixes), std::end(kOtherSuffixes), name) != std::end(kOtherSuffixes);
  return other ? std::nullopt : std::optional(std::move(name));
}

}  // namespace services::s3
