// SPDX-License-Identifier: Apache-2.0
#include "objects/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/bytes.h"
#include "base/random.h"

namespace objects {
namespace {

constexpr std::size_t kNameBytes = 16;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), std::string("cannot ") + what + " " + path);
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("make", path);
}

bool moved(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno != ENOENT) fail("move", from);
  return false;
}

bool removed(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno != ENOENT) fail("remove", path);
  return false;
}

bool exists(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) return true;
  if (errno != ENOENT) fail("look for", path);
  return false;
}

std::optional<base::File> opened(const std::string& path) {
  try {
    return base::File::open(path);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    return std::nullopt;
  }
}

std::vector<std::string> listed(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  if (error) throw std::system_error(error, "cannot list " + path);
  for (const auto& entry : entries) names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

Files::Files(std::string folder) : folder_(std::move(folder)) {
  make_folder(folder_);
  make_folder(folder_ + "/incoming");
  base::sync_folder(folder_);
  base::sync_folder(std::filesystem::path(folder_).parent_path().string());
}

std::string Files::new_name() { return base::to_hex(base::random_bytes(kNameBytes)); }

base::File Files::create(const std::string& name) const { return base::File::create(incoming(name)); }

// One sync serves all requests that came before it began: a caller that waited for the lock may find its own done.
void Files::sync_names() {
  const std::uint64_t mine = ++requested_;
  std::lock_guard lock(syncing_);
  if (synced_ >= mine) return;
  const std::uint64_t all = requested_;
  base::sync_folder(folder_ + "/incoming");
  synced_ = all;
}

void Files::keep(const std::string& name) const {
  if (moved(incoming(name), place(name))) return;
  // Creates the final folder when it is first needed.
  make_folder(folder_ + "/" + name.substr(0, 2));
  moved(incoming(name), place(name));
}

// Another thread may move it from incoming/ meanwhile; from its final place it does not move.
bool Files::drop(const std::string& name) const {
  std::lock_guard lock(held_->mutex);  // until the file is deleted, so that a later hold finds it absent
  if (held_->names.contains(name)) return false;
  if (!removed(place(name)) && !removed(incoming(name))) removed(place(name));
  return true;
}

std::shared_ptr<const void> Files::hold(std::vector<std::string> names) const {
  std::lock_guard lock(held_->mutex);
  for (const std::string& name : names) ++held_->names[name];
  auto release = [held = held_](const std::vector<std::string>* mine) {
    std::lock_guard lock(held->mutex);
    for (const std::string& name : *mine) {
      auto found = held->names.find(name);
      if (--found->second == 0) held->names.erase(found);
    }
    delete mine;
  };
  return std::shared_ptr<const std::vector<std::string>>(new std::vector(std::move(names)), std::move(release));
}

std::shared_ptr<const void> Files::hold_all() const {
  std::lock_guard lock(held_->mutex);
  ++held_->all;
  auto release = [](Held* held) {
    std::lock_guard lock(held->mutex);
    --held->all;
  };
  return std::shared_ptr<const void>(held_.get(), [held = held_, release](const void*) { release(held.get()); });
}

bool Files::all_held() const {
  std::lock_guard lock(held_->mutex);
  return held_->all > 0;
}

void Files::require_room(std::uint64_t bytes) const {
  if (!space_ || space_->has_room(bytes)) return;
  throw std::system_error(ENOSPC, std::generic_category(), "the rest of the disk is kept for requests that free space");
}

bool Files::has(const std::string& name) const {
  const std::string there = place(name);
  return exists(there) || exists(incoming(name)) || exists(there);
}

std::optional<base::File> Files::open(const std::string& name) const {
  auto file = opened(place(name));
  if (!file) file = opened(incoming(name));
  if (!file) file = opened(place(name));
  return file;
}

std::optional<base::File> Files::open_cached(const std::string& name) const {
  auto file = base::File::open_cached(place(name));
  return file ? std::move(file) : base::File::open_cached(incoming(name));
}

Files::Recovered Files::recover(const std::function<bool(const std::string&)>& is_named) const {
  Recovered recovered;
  for (const std::string& name : listed(folder_ + "/incoming")) {
    if (is_named(name)) {
      keep(name);
      ++recovered.kept;
    } else {
      removed(incoming(name));
      ++recovered.dropped;
    }
  }
  return recovered;
}

std::vector<std::string> Files::names(int folder) const {
  const char number = static_cast<char>(folder);
  return listed(folder_ + "/" + base::to_hex(std::string_view(&number, 1)));
}

}  // namespace objects
