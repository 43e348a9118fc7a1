// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_users.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/drivers/shim_folder.h"
#include "agent/drivers/whole_number.h"

namespace agent::drivers {
namespace {

constexpr std::int64_t kLowestUid = 1000;          // lower ones belong to the system
constexpr std::int64_t kHighestUid = 4294967293;  // the last two numbers have meanings of their own

// Serialises claims of all agents of the machine.
class ClaimLock {
 public:
  explicit ClaimLock(const std::string& folder)
      : fd_(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ClaimLock(const ClaimLock&) = delete;
  ~ClaimLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool held() const { return fd_ >= 0; }

 private:
  int fd_;
};

void create_private_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::create_directories(path, ignored);
  ::chmod(path.c_str(), 0700);
}

}  // namespace

base::Result<UidRange> parse_uid_range(const std::string& text) {
  const std::string_view all = text;
  const std::size_t dash = std::min(all.find('-'), all.size());
  const auto first = whole_number(all.substr(0, dash));
  const auto last = whole_number(all.substr(std::min(dash + 1, all.size())));
  if (!first || !last) return base::Error{fmt::format("'{}' is not a range of user numbers: FIRST-LAST", text)};
  if (*first < kLowestUid || *last > kHighestUid || *last <= *first) {
    return base::Error{fmt::format("{}: user numbers of tasks are from {} to {}", text, kLowestUid, kHighestUid)};
  }
  return UidRange{*first, *last};
}

bool has_uids(const UidRange& range, const std::string& uid_map_file) {
  std::ifstream map(uid_map_file);
  std::int64_t inside = 0, outside = 0, count = 0;
  while (map >> inside >> outside >> count) {
    if (range.first >= inside && range.last < inside + count) return true;
  }
  return false;
}

TaskUsers::TaskUsers(UidRange range, std::string claims, std::string folder)
    : range_(range), claims_(std::move(claims)), folder_(std::move(folder)) {
  create_private_folder(claims_);
  create_private_folder(folder_);
}

std::string TaskUsers::claim_file(std::int64_t uid) const { return claims_ + "/" + std::to_string(uid); }

// A number of an earlier boot is void: the claims of that time are gone.
std::optional<std::int64_t> TaskUsers::number_in(const std::string& task_file) const {
  const auto text = read_text(task_file);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::int64_t uid = 0;
  std::string boot;
  if (!(words >> uid >> boot) || boot != boot_id()) return std::nullopt;
  return uid;
}

// A number that is an account of this machine is never free.
bool TaskUsers::is_free(std::int64_t uid, const std::string& task_file) const {
  const auto holder = read_text(claim_file(uid));
  if (holder && *holder != task_file && number_in(*holder) == uid) return false;
  return ::getpwuid(uid_t(uid)) == nullptr;
}

// The task's file first: a claim without it is void.
base::Result<uid_t> TaskUsers::take(std::int64_t uid, const std::string& task_file) const {
  auto written = write_durably(task_file, fmt::format("{} {}\n", uid, boot_id()));
  if (written) written = write_durably(claim_file(uid), task_file);
  if (!written) return base::Error{written.error()};
  return uid_t(uid);
}

base::Result<uid_t> TaskUsers::claim(const std::string& task) const {
  const ClaimLock lock(claims_);
  if (!lock.held()) return base::Error{fmt::format("{}/lock: {}", claims_, std::strerror(errno))};
  const std::string file = task_file(task);
  const auto mine = number_in(file);
  if (mine && is_free(*mine, file)) return take(*mine, file);
  // After the last one, so that a number is used again as late as possible.
  const std::int64_t count = range_.last - range_.first + 1;
  const auto last = whole_number(read_text(claims_ + "/last").value_or(""));
  const std::int64_t start = last && *last >= range_.first && *last <= range_.last ? *last - range_.first + 1 : 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t uid = range_.first + (start + i) % count;
    if (!is_free(uid, file)) continue;
    (void)write_durably(claims_ + "/last", std::to_string(uid));
    return take(uid, file);
  }
  return base::Error{fmt::format("all {} user numbers for tasks are in use: --task-uids", count)};
}

std::optional<uid_t> TaskUsers::find(const std::string& task) const {
  const auto mine = number_in(task_file(task));
  if (!mine || read_text(claim_file(*mine)) != task_file(task)) return std::nullopt;
  return uid_t(*mine);
}

void TaskUsers::release(const std::string& task) const {
  const ClaimLock lock(claims_);
  const std::string file = task_file(task);
  const auto mine = number_in(file);
  if (mine && read_text(claim_file(*mine)) == file) ::unlink(claim_file(*mine).c_str());
  ::unlink(file.c_str());
}

}  // namespace agent::drivers
