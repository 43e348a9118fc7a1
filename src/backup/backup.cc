// SPDX-License-Identifier: Apache-2.0
#include "backup/backup.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "backup/manifest.h"
#include "backup/stored_files.h"
#include "base/file.h"
#include "store/folder_lock.h"
#include "store/sqlite_file.h"
#include "wire/timestamp.h"

namespace backup {
namespace {

namespace fs = std::filesystem;

// All files and names that were written to the disk of this folder.
void sync_disk(const std::string& folder) {
  const base::File opened = base::File::open(folder);
  if (::syncfs(opened.descriptor()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot sync the disk of " + folder);
  }
}

// What an unfinished backup left, and the database of the one before the last.
void remove_other_databases(const std::string& folder, const std::string& keep) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("stoker-") && name != keep) fs::remove(entry.path());
  }
}

std::string next_database(const std::string& folder) {
  if (!has_manifest(folder)) return "stoker-1.db";
  const std::string last = read_manifest(folder).database;
  const std::string digits = last.substr(std::min(last.size(), std::string("stoker-").size()));
  return "stoker-" + std::to_string(std::atoll(digits.c_str()) + 1) + ".db";
}

// A folder with anything else in it is probably a mistake.
void require_backup_folder(const std::string& folder) {
  if (!fs::exists(folder) || has_manifest(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name == "lock" || name == "objects" || name == "chunks" || name.starts_with("stoker-") ||
                      name == "manifest.json.new";
    if (!ours) throw std::runtime_error(folder + " is no backup: it has " + name + ". Choose an empty folder");
  }
}

}  // namespace

bool is_open(const std::string& data) {
  if (!fs::exists(data + "/stoker.db")) {
    throw std::runtime_error("there is no database stoker.db in " + data +
                             ". With --store, use pg_dump for the database, and copy the folders objects and chunks after it");
  }
  try {
    const store::FolderLock lock(data);
    return false;
  } catch (const store::Error& error) {
    if (error.kind() != store::ErrorKind::Busy) throw;
    return true;
  }
}

shapes::stoker::BackupReport make_backup(const std::string& data, const std::string& folder, bool live, base::Time now) {
  require_backup_folder(folder);
  if (!live && fs::exists(data + "/running")) {
    throw std::runtime_error("the last server of " + data + " did not end by itself: start it, so that it recovers, and "
                             "back it up while it runs");
  }
  std::optional<store::FolderLock> stays_closed;
  if (!live) stays_closed.emplace(data);
  const store::FolderLock lock(folder);
  const std::string name = next_database(folder), path = folder + "/" + name;
  remove_other_databases(folder, has_manifest(folder) ? read_manifest(folder).database : "");
  store::copy_database(data + "/stoker.db", live ? store::Source::Live : store::Source::Closed, path);
  shapes::stoker::BackupReport report;
  Manifest manifest{.format = kFormat, .createdAt = wire::to_iso8601(now), .database = name};
  manifest.databaseSha256 = sha256_of(path);
  manifest.databaseBytes = static_cast<std::int64_t>(fs::file_size(path));
  report.databaseBytes = manifest.databaseBytes;
  store::read_database(path, [&](store::Tx& tx) {
    for (const FileKind& kind : file_kinds()) {
      const objects::Files from(data + "/" + kind.folder);
      objects::Files to(folder + "/" + kind.folder);
      const FileCounts counts = copy_files(tx, kind, from, to);
      manifest.files += counts.copied + counts.kept;
      manifest.fileBytes += counts.bytes;
      report.copiedFiles += counts.copied;
      report.copiedBytes += counts.copied_bytes;
      report.keptFiles += counts.kept;
    }
  });
  sync_disk(folder);
  write_manifest(folder, manifest);
  remove_other_databases(folder, name);
  store::read_database(path, [&](store::Tx& tx) {
    for (const FileKind& kind : file_kinds()) {
      objects::Files files(folder + "/" + kind.folder);
      report.removedFiles += remove_unnamed(tx, kind, files);
    }
  });
  return report;
}

void restore_backup(const std::string& folder, const std::string& data) {
  const Manifest manifest = read_manifest(folder);
  const std::string path = folder + "/" + manifest.database;
  if (fs::exists(data) && !fs::is_empty(data)) {
    throw std::runtime_error(data + " is not empty: a backup is restored to a new folder");
  }
  if (sha256_of(path) != manifest.databaseSha256) {
    throw std::runtime_error("the database of the backup, " + path + ", is damaged: its SHA-256 is not the manifest's");
  }
  const store::FolderLock lock(data);
  store::read_database(path, [&](store::Tx& tx) {
    for (const FileKind& kind : file_kinds()) {
      const objects::Files from(folder + "/" + kind.folder);
      objects::Files to(data + "/" + kind.folder);
      copy_files(tx, kind, from, to);
    }
  });
  sync_disk(data);
  // Last: objects without a database are not started as a new server.
  const std::string incomplete = data + "/stoker.db.new";
  store::copy_database(path, store::Source::Copy, incomplete);
  fs::rename(incomplete, data + "/stoker.db");
  base::sync_folder(data);
}

}  // namespace backup
