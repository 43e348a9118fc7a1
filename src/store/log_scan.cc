// SPDX-License-Identifier: Apache-2.0
#include "store/log_scan.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/log.h"
#include "store/store.h"

namespace store {
namespace {

constexpr std::uint32_t kMagic = 0x377f0682;  // the lowest bit: checksums are of big-endian words
constexpr std::size_t kLeastPage = 512, kMostPage = 65536;
constexpr std::size_t kSummedHeader = 24, kSummedFrameHeader = 8;  // bytes before the salts and sums

std::uint32_t word_at(std::string_view bytes, std::size_t at, bool big_endian = true) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t shift = 8 * (big_endian ? 3 - i : i);
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << shift;
  }
  return word;
}

std::string describe(const LogDamage& damage) {
  const std::string where = damage.header ? "in its header" : "in frame " + std::to_string(damage.frame) + ", at byte " +
                                                                  std::to_string(damage.offset);
  if (damage.lost_commits == 0) return "is damaged " + where + ", which ends a committed transaction: it can't be applied";
  return "is damaged " + where + ": " + std::to_string(damage.lost_commits) + " committed transactions (" +
         std::to_string(damage.lost_frames) + " intact frames) follow, which can't be applied";
}

}  // namespace

LogScan::Sum LogScan::continue_sum(Sum sum, std::string_view bytes) const {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    sum[0] += word_at(bytes, at, big_endian_) + sum[1];
    sum[1] += word_at(bytes, at + 4, big_endian_) + sum[0];
  }
  return sum;
}

LogScan::LogScan(std::string_view header) {
  const std::uint32_t magic = word_at(header, 0);
  big_endian_ = magic & 1;
  const std::size_t page = word_at(header, 8);
  const Sum stored{word_at(header, 24), word_at(header, 28)};
  const bool page_fits = page >= kLeastPage && page <= kMostPage && (page & (page - 1)) == 0;
  const bool intact = (magic & ~1u) == kMagic && page_fits && continue_sum({}, header.substr(0, kSummedHeader)) == stored;
  if (!intact) {
    big_endian_ = false;  // as SQLite writes it on little-endian machines
    found_ = LogDamage{.header = true};
    return;
  }
  page_bytes_ = page;
  salts_ = header.substr(16, 8);
  before_ = stored;
}

void LogScan::add(std::string_view frame) {
  ++frames_;
  const std::string_view salts = frame.substr(8, 8);
  if (!salts_) salts_ = salts;
  const Sum stored{word_at(frame, 16), word_at(frame, 20)};
  Sum sum = continue_sum(before_, frame.substr(0, kSummedFrameHeader));
  sum = continue_sum(sum, frame.substr(kFrameHeaderBytes));
  before_ = stored;
  const bool valid = word_at(frame, 0) != 0 && salts == *salts_ && sum == stored;
  const bool commits = word_at(frame, 4) != 0;
  if (!valid) {
    if (!found_) found_ = LogDamage{.frame = frames_, .offset = kHeaderBytes + (frames_ - 1) * frame_bytes()};
    // This frame ends a transaction, which was synced before any frame behind it was written.
    damaged_commit_ = damaged_commit_ || (commits && salts == *salts_);
    return;
  }
  if (!found_) return;
  found_->certain = found_->certain || found_->lost_commits > 0 || found_->header || damaged_commit_;
  ++found_->lost_frames;
  if (commits) ++found_->lost_commits;
}

std::optional<LogDamage> LogScan::damage() const {
  const bool lost = found_ && (found_->lost_commits > 0 || (damaged_commit_ && found_->lost_frames > 0));
  return lost ? found_ : std::nullopt;
}

std::optional<LogDamage> scan_log(const std::string& path) {
  std::error_code missing;
  const std::uint64_t size = std::filesystem::file_size(path, missing);
  if (missing || size < LogScan::kHeaderBytes) return std::nullopt;
  const base::File file = base::File::open(path);
  std::string bytes(LogScan::kHeaderBytes, '\0');
  if (file.pread(bytes.data(), bytes.size(), 0) < bytes.size()) return std::nullopt;
  LogScan scan(bytes);
  bytes.resize(scan.frame_bytes());
  for (std::uint64_t at = LogScan::kHeaderBytes; at + bytes.size() <= size; at += bytes.size()) {
    if (file.pread(bytes.data(), bytes.size(), at) < bytes.size()) break;
    scan.add(bytes);
  }
  return scan.damage();
}

void check_log(const std::string& database, bool drop) {
  const std::string log = database + "-wal", copy = log + ".damaged";
  const std::optional<LogDamage> damage = scan_log(log);
  if (!damage) return;
  if (damage->certain && !drop) {
    throw Error(ErrorKind::Damaged,
                "the write-ahead log " + log + " " + describe(*damage) +
                    ". Restore a backup (`stoker restore`), or start with --drop-damaged-log to go on without these "
                    "transactions; a copy of the log is then kept as " + copy + ".");
  }
  std::filesystem::copy_file(log, copy, std::filesystem::copy_options::overwrite_existing);
  base::log_error("dropped the end of the write-ahead log, which " + describe(*damage) +
                      (damage->certain ? "" : "; after a power failure this may be a transaction that was never acknowledged"),
                  {{"copy", copy}});
}

}  // namespace store
