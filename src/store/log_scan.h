// SPDX-License-Identifier: Apache-2.0
// Looks for damage inside SQLite's write-ahead log. SQLite ignores all frames after the first invalid one: after a crash
// that is the unfinished end of the log, but damage in the middle silently takes committed transactions with it.
//
// A frame's checksum continues that of the frame before it, which stores its own. So frames behind a damaged one can
// still be verified, each from the stored checksum of its predecessor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace store {

struct LogDamage {
  bool header = false;            // of the whole log
  std::uint64_t frame = 0;        // the first invalid one, from 1
  std::uint64_t offset = 0;       // where it begins
  std::uint64_t lost_frames = 0;  // valid ones behind it
  std::uint64_t lost_commits = 0;
  // A transaction begins only after the one before it was synced: what follows a damaged end of one is a later one.
  // Otherwise the damage may be in the last transaction, which a power failure kept from being written whole.
  bool certain = false;
};

class LogScan {
 public:
  static constexpr std::size_t kHeaderBytes = 32, kFrameHeaderBytes = 24;

  // The first bytes of the log.
  explicit LogScan(std::string_view header);
  std::size_t frame_bytes() const { return kFrameHeaderBytes + page_bytes_; }
  // The next frame, of frame_bytes().
  void add(std::string_view frame);
  // nullopt where neither a valid commit follows an invalid frame, nor anything valid an invalid commit.
  std::optional<LogDamage> damage() const;

 private:
  using Sum = std::array<std::uint32_t, 2>;
  Sum continue_sum(Sum sum, std::string_view bytes) const;

  bool big_endian_ = false;  // words of checksums
  std::size_t page_bytes_ = 4096;
  std::optional<std::string> salts_;  // from the first frame, where the header is damaged
  Sum before_{};                      // stored in the frame before, or in the header
  std::uint64_t frames_ = 0;
  std::optional<LogDamage> found_;
  bool damaged_commit_ = false;  // an invalid frame ends a transaction
};

// nullopt also for a log that is missing or empty. Throws std::system_error.
std::optional<LogDamage> scan_log(const std::string& path);

// Before the database is opened: throws an Error (Damaged) that says what to do, if transactions were lost. With
// `drop`, keeps a copy of the log and goes on.
void check_log(const std::string& database, bool drop);

}  // namespace store
