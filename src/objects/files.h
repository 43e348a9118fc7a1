// SPDX-License-Identifier: Apache-2.0
// The bytes of objects, as files that never change.
//
// A file is written in incoming/, synced with its name, and only then does a transaction commit a row
// that names it. Then it moves to its place, unsynced: one whose move was lost is found in incoming/ at
// the next start. So what is in its place is whole and somebody's, and a start looks at no more than
// was under way.
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

#include "base/file.h"

namespace objects {

class Files {
 public:
  // Makes `folder`, if need be. All of these may be called by several threads at once, and throw
  // std::system_error.
  explicit Files(std::string folder);

  static std::string new_name();

  // In incoming/.
  base::File create(const std::string& name) const;
  // The names that were created before this call survive a power loss.
  void sync_names();

  // A row names it now. Nothing happens where it has been dropped meanwhile.
  void keep(const std::string& name) const;
  // Wherever it is; nothing happens where it is not. False where somebody holds it: it stays.
  bool drop(const std::string& name) const;
  // As long as what this gives lives, none of these is dropped: for who opens them one after another.
  std::shared_ptr<const void> hold(std::vector<std::string> names) const;
  bool has(const std::string& name) const;
  // nullopt where there is none.
  std::optional<base::File> open(const std::string& name) const;
  // The same, without waiting for a disk: nullopt where that can't be known.
  std::optional<base::File> open_cached(const std::string& name) const;

  struct Recovered {
    std::size_t kept = 0, dropped = 0;
  };
  // At start: what is in incoming/ is kept where a row names it, else dropped.
  Recovered recover(const std::function<bool(const std::string&)>& is_named) const;

  // What is in its place, folder by folder: 0 to kFolders - 1.
  static constexpr int kFolders = 256;
  std::vector<std::string> names(int folder) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string incoming(const std::string& name) const { return folder_ + "/incoming/" + name; }
  std::string place(const std::string& name) const { return folder_ + "/" + name.substr(0, 2) + "/" + name; }

  struct Held {
    std::mutex mutex;
    std::unordered_map<std::string, int> names;  // how often each is held
  };

  std::string folder_;
  std::shared_ptr<Held> held_ = std::make_shared<Held>();  // a hold may end after us
  std::mutex syncing_;                    // of names
  std::atomic<std::uint64_t> asked_ = 0;  // for a sync of names, counted
  std::uint64_t synced_ = 0;              // up to this one; behind syncing_
};

}  // namespace objects
