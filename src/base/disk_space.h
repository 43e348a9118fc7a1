// SPDX-License-Identifier: Apache-2.0
// Space on the disk of the data folder. A part of it, the reserve, is kept back from everything that grows, so that a full
// disk can be drained: deleting a row needs space for the database's log. Half of the reserve is a file, which no other
// program can take; it is deleted when even that space is needed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace base {

class DiskSpace {
 public:
  struct Disk {
    std::uint64_t free_bytes = 0, total_bytes = 0;
  };
  // nullopt where the file system does not report it.
  using Look = std::function<std::optional<Disk>(const std::string& folder)>;
  static std::optional<Disk> look_at(const std::string& folder);

  // Without a `reserve`: a sixteenth of the disk, at least 4 MiB and at most 64 MiB. 0: no reserve. All functions are
  // thread-safe.
  DiskSpace(std::string folder, std::optional<std::uint64_t> reserve, Look look = &look_at);
  DiskSpace(const DiskSpace&) = delete;
  DiskSpace& operator=(const DiskSpace&) = delete;

  // Whether requests that grow must be rejected. Costs nothing until a measurement finds a shortage, and measures anew
  // from then on, so that it ends by itself.
  bool is_low() { return low_.load(std::memory_order_relaxed) && measure(); }
  // Whether a file may grow by so many bytes. Measures.
  bool has_room(std::uint64_t bytes);
  // Whether the database should keep its log short.
  bool is_tight() const { return tight_.load(std::memory_order_relaxed); }
  // Whether the database's own numbers matter: far from the end they are not worth reading.
  bool is_near() const { return near_.load(std::memory_order_relaxed); }
  // What is_low() means, in a sentence; "" while there is room.
  std::string problem();

  // How much the database file will grow by what is in its log, and how much of the file is unused.
  void set_database(std::uint64_t pending_bytes, std::uint64_t unused_bytes);
  // Returns is_low(). Creates the reserve's file where there is room for it.
  bool measure();
  // Deletes the reserve's file. False where there is none.
  bool release();

  std::uint64_t reserve() const { return reserve_; }

 private:
  std::uint64_t kept_back() const { return held_ ? reserve_ - file_bytes() : reserve_; }
  std::uint64_t file_bytes() const { return reserve_ / 2; }
  std::string path() const { return folder_ + "/reserve"; }
  // What the disk has for the log and for files.
  std::optional<std::uint64_t> room() const;
  void hold();

  const std::string folder_;
  const Look look_;
  std::uint64_t reserve_ = 0;
  std::atomic<std::uint64_t> pending_ = 0, unused_ = 0;
  std::atomic<bool> low_ = false, tight_ = false, near_ = true;
  std::mutex changing_;  // the file
  std::atomic<bool> held_ = false;
  bool unsupported_ = false;  // the file system does not preallocate; guarded by changing_
};

}  // namespace base
