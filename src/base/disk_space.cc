// SPDX-License-Identifier: Apache-2.0
#include "base/disk_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/log.h"

namespace base {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kLeastReserve = 4 * kMiB, kMostReserve = 64 * kMiB;  // by default
constexpr std::uint64_t kShare = 16;
// With less space than this, the database's log and what a checkpoint adds to the file are subtracted as well.
constexpr std::uint64_t kNear = 256 * kMiB;

std::uint64_t default_reserve(const std::optional<DiskSpace::Disk>& disk) {
  return disk ? std::clamp(disk->total_bytes / kShare, kLeastReserve, kMostReserve) : 0;
}

std::string in_mib(std::uint64_t bytes) {
  const std::uint64_t tenths = bytes * 10 / kMiB;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

}  // namespace

// A folder that does not exist yet is on the disk of the one above it.
std::optional<DiskSpace::Disk> DiskSpace::look_at(const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  struct statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0) return std::nullopt;
  return Disk{found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize};
}

DiskSpace::DiskSpace(std::string folder, std::optional<std::uint64_t> reserve, Look look)
    : folder_(std::move(folder)), look_(std::move(look)) {
  const std::optional<Disk> disk = look_(folder_);
  reserve_ = reserve ? *reserve : default_reserve(disk);
  struct stat found {};
  held_ = ::stat(path().c_str(), &found) == 0;
  if (!held_) return;
  // Starting needs space as well.
  const bool crowded = disk && disk->free_bytes < reserve_ / 4;
  const bool other_size = static_cast<std::uint64_t>(found.st_size) != file_bytes();
  if (other_size) held_ = ::unlink(path().c_str()) != 0;
  if (crowded) release();
}

std::optional<std::uint64_t> DiskSpace::room() const {
  const std::optional<Disk> disk = look_(folder_);
  if (!disk) return std::nullopt;
  return disk->free_bytes - std::min(disk->free_bytes, pending_.load());
}

bool DiskSpace::measure() {
  if (reserve_ == 0) return false;
  const std::optional<std::uint64_t> found = room();
  if (!found) return false;
  near_ = *found < 4 * reserve_ + kNear;
  tight_ = *found < 2 * reserve_;
  // A shortage ends a little above where it begins, so that it does not begin again at once.
  const std::uint64_t kept = low_ ? kept_back() + kept_back() / 8 : kept_back();
  // Rows that were deleted leave room in the database file, but not in its log.
  const bool reusable = *found >= kept / 4 && *found + unused_ >= kept;
  const bool low = *found < kept && !reusable;
  if (low != low_.exchange(low)) {
    const std::string& event = low ? "the disk is full: rejecting what needs space" : "the disk has space again";
    base::log_warn(event, {{"free", in_mib(*found)}, {"reserve", in_mib(reserve_)}});
  }
  if (!held_ && *found >= reserve_) hold();
  return low;
}

bool DiskSpace::has_room(std::uint64_t bytes) {
  const std::optional<std::uint64_t> found = room();
  return reserve_ == 0 || !found || *found >= kept_back() + bytes;
}

std::string DiskSpace::problem() {
  if (!measure()) return "";
  return "The disk that holds Stoker's data is full: " + in_mib(room().value_or(0)) + " are left, and " +
         in_mib(kept_back()) + " of them are kept for requests that free space.";
}

void DiskSpace::set_database(std::uint64_t pending_bytes, std::uint64_t unused_bytes) {
  pending_ = pending_bytes;
  unused_ = unused_bytes;
}

void DiskSpace::hold() {
  std::lock_guard lock(changing_);
  if (held_ || unsupported_) return;
  const int file = ::open(path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool failed = ::fallocate(file, 0, 0, static_cast<off_t>(file_bytes())) != 0;
  unsupported_ = failed && errno != ENOSPC && errno != EDQUOT && errno != EINTR;
  ::close(file);
  if (failed) ::unlink(path().c_str());
  held_ = !failed;
}

bool DiskSpace::release() {
  std::lock_guard lock(changing_);
  if (!held_) return false;
  held_ = false;
  low_ = true;  // what grows must not use it
  if (::unlink(path().c_str()) != 0) return false;
  base::log_warn("the disk is full: released the reserve", {{"file", path()}});
  return true;
}

}  // namespace base
