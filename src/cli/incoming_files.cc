// SPDX-License-Identifier: Apache-2.0
#include "cli/incoming_files.h"

#include <stdlib.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace cli {
namespace {

namespace fs = std::filesystem;

// Of symbolic links themselves, not of their targets.
bool is_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

std::string make_folder(const fs::path& parent) {
  std::string name = (parent / ".stoker-cp-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), "cannot write to " + parent.string());
  return name;
}

// Entries can be removed from a folder, and a folder can change its place, only if it is writable.
void make_writable(const fs::path& folder) { fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add); }

void move_folder(const fs::path& from, const fs::path& target);

void move_entry(const fs::path& from, const fs::path& target) {
  const bool folder = is_folder(from), there = fs::exists(fs::symlink_status(target));
  if (folder && is_folder(target)) return move_folder(from, target);
  if (there && (folder || is_folder(target))) {
    if (is_folder(target)) throw std::runtime_error("cannot replace the folder " + target.string() + " by a file");
    fs::remove(target);  // rename() replaces no file by a folder
  }
  if (!folder) return fs::rename(from, target);
  const fs::perms permissions = fs::status(from).permissions();
  make_writable(from);
  fs::rename(from, target);
  fs::permissions(target, permissions);
}

void move_folder(const fs::path& from, const fs::path& target) {
  make_writable(from);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) move_entry(entry.path(), target / entry.path().filename());
}

}  // namespace

IncomingFiles::IncomingFiles(const fs::path& parent)
    : folder_(make_folder(parent)), tar_(LocalTar::Use::Extract, {"-xpf", "-", "--no-same-owner", "-C", folder_}) {}

IncomingFiles::~IncomingFiles() {
  tar_.finish();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void IncomingFiles::move(const std::string& name, const fs::path& target) {
  if (name == ".") return move_folder(folder_, target);
  const fs::path from = fs::path(folder_) / name;
  if (!fs::exists(fs::symlink_status(from))) throw std::runtime_error("the container did not send " + name);
  move_entry(from, target);
}

}  // namespace cli
