// SPDX-License-Identifier: Apache-2.0
// The bytes of objects, as files that never change.
//
// A file is written in incoming/ and synced with its name. Only then does a transaction commit a row that names it.
// Then the file moves to its final place, without a sync: if the move was lost, the next start finds the file in incoming/.
// So a file in its final place is complete and has a row, and a start checks only the uploads that were in progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/disk_space.h"
#include "base/file.h"

namespace objects {

class Files {
 public:
  // Creates `folder` if it is absent. All functions are thread-safe and throw std::system_error.
  explicit Files(std::string folder);

  static std::string new_name();

  // In incoming/.
  base::File create(const std::string& name) const;
  // Before writing so many bytes: throws ENOSPC where they would use the disk's reserve.
  void require_room(std::uint64_t bytes) const;
  void set_space(base::DiskSpace& space) { space_ = &space; }
  // Makes the names that were created before this call durable.
  void sync_names();

  // Moves the file to its final place: a row names it now. Ignores a file that was dropped meanwhile.
  void keep(const std::string& name) const;
  // Deletes the file from either folder; ignores an absent one. False if the file is held: it remains.
  bool drop(const std::string& name) const;
  // None of these files is dropped while the returned hold lives: for readers that open them one after another.
  std::shared_ptr<const void> hold(std::vector<std::string> names) const;
  // For a backup: while such a hold lives, sweeps, which check all_held(), leave the files that rows named before.
  std::shared_ptr<const void> hold_all() const;
  bool all_held() const;
  bool has(const std::string& name) const;
  // nullopt if absent.
  std::optional<base::File> open(const std::string& name) const;
  // The same, without waiting for the disk: nullopt also if the kernel has not cached the name.
  std::optional<base::File> open_cached(const std::string& name) const;

  struct Recovered {
    std::size_t kept = 0, dropped = 0;
  };
  // At start: keeps the files in incoming/ that have a row, and drops the others.
  Recovered recover(const std::function<bool(const std::string&)>& is_named) const;

  // The files in their final place in one folder: 0 to kFolders - 1.
  static constexpr int kFolders = 256;
  std::vector<std::string> names(int folder) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string incoming(const std::string& name) const { return folder_ + "/incoming/" + name; }
  std::string place(const std::string& name) const { return folder_ + "/" + name.substr(0, 2) + "/" + name; }

  struct Held {
    std::mutex mutex;
    std::unordered_map<std::string, int> names;  // number of holds
    int all = 0;                                 // of holds of all files
  };

  std::string folder_;
  base::DiskSpace* space_ = nullptr;
  std::shared_ptr<Held> held_ = std::make_shared<Held>();  // a hold may outlive this object
  std::mutex syncing_;                    // of names
  std::atomic<std::uint64_t> requested_ = 0;  // number of requested syncs of names
  std::uint64_t synced_ = 0;              // number of the last request that is done; guarded by syncing_
};

}  // namespace objects
