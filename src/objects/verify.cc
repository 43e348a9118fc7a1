// SPDX-License-Identifier: Apache-2.0
#include "objects/verify.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace objects {
namespace asio = boost::asio;
namespace {

constexpr std::uint64_t kSliceBytes = 16 * 1024 * 1024;
constexpr std::size_t kReadBytes = 256 * 1024;

std::string_view name_of(base::Checksum kind) {
  switch (kind) {
    case base::Checksum::Md5: return "MD5";
    case base::Checksum::Crc32: return "CRC32";
    case base::Checksum::Crc32c: return "CRC32C";
    case base::Checksum::Crc64Nvme: return "CRC64NVME";
    case base::Checksum::Sha1: return "SHA1";
    case base::Checksum::Sha256: return "SHA256";
  }
  return "";
}

Verdict compare_sizes(std::uint64_t found, std::uint64_t expected) {
  if (found == expected) return {};
  return {found < expected ? Verdict::Short : Verdict::Long,
          std::to_string(found) + " bytes where there were " + std::to_string(expected)};
}

// The state of one check.
class Reading {
 public:
  explicit Reading(Expected expected) : expected_(std::move(expected)) {
    for (const auto& [kind, value] : expected_.checksums) hashers_.emplace_back(kind, base::Hasher(kind));
  }

  void add(std::string_view bytes) {
    for (auto& [kind, hasher] : hashers_) hasher.update(bytes);
  }

  Verdict end() {
    for (auto& [kind, hasher] : hashers_) {
      const std::string found = hasher.finish(), expected = expected_.checksums.at(kind);
      if (found == expected) continue;
      return {Verdict::Damaged, std::string(name_of(kind)) + " is " + base::to_hex(found) + " where it was " +
                                    base::to_hex(expected)};
    }
    return {};
  }

  void read(const base::File& file, std::uint64_t offset, std::uint64_t length) {
    std::string buffer(kReadBytes, '\0');
    while (length > 0) {
      const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(length, kReadBytes));
      const std::size_t got = file.pread(buffer.data(), step, offset);
      add(std::string_view(buffer).substr(0, got));
      if (got < step) return;
      offset += step;
      length -= step;
    }
  }

 private:
  Expected expected_;
  std::vector<std::pair<base::Checksum, base::Hasher>> hashers_;
};

}  // namespace

Verdict verify_bytes(std::string_view bytes, const Expected& expected) {
  if (Verdict verdict = compare_sizes(bytes.size(), expected.size); verdict.kind != Verdict::Whole) return verdict;
  Reading reading(expected);
  reading.add(bytes);
  return reading.end();
}

Verdict verify_file_now(const Files& files, const std::string& name, const Expected& expected) {
  try {
    const std::optional<base::File> file = files.open(name);
    if (!file) return {Verdict::Missing, "its file is missing"};
    if (Verdict verdict = compare_sizes(file->size(), expected.size); verdict.kind != Verdict::Whole) return verdict;
    Reading reading(expected);
    reading.read(*file, 0, expected.size);
    return reading.end();
  } catch (const std::system_error& error) {
    return {Verdict::Unreadable, error.what()};
  }
}

asio::awaitable<Verdict> verify_file(Files& files, DiskThreads& disk, std::string name, Expected expected) {
  std::optional<base::File> file;
  Verdict verdict;
  Reading reading(expected);
  try {
    DiskThreads::Work open = [&] {
      file = files.open(name);
      if (file) verdict = compare_sizes(file->size(), expected.size);
    };
    co_await disk.run(std::move(open));
    if (!file) verdict = {Verdict::Missing, "its file is missing"};
    if (verdict.kind != Verdict::Whole) co_return verdict;
    for (std::uint64_t done = 0; done < expected.size; done += kSliceBytes) {
      const std::uint64_t length = std::min(kSliceBytes, expected.size - done);
      DiskThreads::Work read = [&] { reading.read(*file, done, length); };
      co_await disk.compute(std::move(read));
    }
    verdict = reading.end();
  } catch (const std::system_error& error) {
    verdict = {Verdict::Unreadable, error.what()};
  }
  co_return verdict;
}

}  // namespace objects
