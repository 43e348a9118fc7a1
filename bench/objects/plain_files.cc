// SPDX-License-Identifier: Apache-2.0
#include "objects/plain_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <stdexcept>

#include "base/checksum.h"
#include "base/file.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// Hashes the bytes while they are in the CPU's cache, like a server.
constexpr std::size_t kPieceBytes = 512 * 1024;

}  // namespace

PlainFiles::PlainFiles(std::string folder, const Body& body) : folder_(std::move(folder)), body_(body) {
  std::filesystem::create_directories(folder_);
}

void PlainFiles::write_one(const std::string& path) const {
  const std::string temporary = path + ".new";
  std::array hashers = {base::Hasher(base::Checksum::Md5), base::Hasher(base::Checksum::Sha256),
                        base::Hasher(base::Checksum::Crc32)};
  const base::File file = [&] {
    base::File created = base::File::create(temporary);
    const std::string_view all = body_.bytes;
    for (std::size_t at = 0; at < all.size(); at += kPieceBytes) {
      const std::string_view piece = all.substr(at, kPieceBytes);
      created.write_all(piece);
      for (base::Hasher& hasher : hashers) hasher.update(piece);
    }
    return created;
  }();
  for (base::Hasher& hasher : hashers) {
    if (hasher.finish().empty()) throw std::runtime_error("a hash is empty");  // so that the compiler removes none
  }
  file.sync();
  std::filesystem::rename(temporary, path);
}

Outcome PlainFiles::write_on_one_thread(int thread, std::uint64_t names, Seconds at_least, std::uint64_t& next) const {
  Outcome outcome;
  const auto began = Clock::now();
  auto now = began;
  do {
    const auto before = now;
    write_one(folder_ + "/put-" + std::to_string(thread) + "-" + std::to_string(next++ % names));
    now = Clock::now();
    outcome.latency.add(now - before);
    ++outcome.done;
  } while (now - began < at_least);
  return outcome;
}

Outcome PlainFiles::write(int threads, std::uint64_t names, Seconds at_least) {
  next_.resize(std::max(next_.size(), static_cast<std::size_t>(threads)));
  Outcome all;
  const auto began = Clock::now();
  std::vector<std::future<Outcome>> writers;
  for (int i = 0; i < threads; ++i) {
    std::uint64_t& next = next_[static_cast<std::size_t>(i)];
    writers.push_back(std::async(std::launch::async, [this, i, names, at_least, &next] {
      return write_on_one_thread(i, names, at_least, next);
    }));
  }
  for (std::future<Outcome>& writer : writers) {
    const Outcome one = writer.get();
    all.done += one.done;
    all.latency.add(one.latency);
  }
  all.elapsed = Clock::now() - began;
  all.requests = all.messages = all.done;
  return all;
}

void PlainFiles::write_for_reading(const std::string& prefix, std::uint64_t count) const {
  std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + prefix).parent_path());
  for (std::uint64_t i = 0; i < count; ++i) write_one(folder_ + "/" + prefix + std::to_string(i));
}

}  // namespace bench
