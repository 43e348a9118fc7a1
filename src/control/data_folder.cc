// SPDX-License-Identifier: Apache-2.0
#include "control/data_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/log.h"

namespace control {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
}

// Atomic: a reader never sees half a file, and a crash keeps the old one.
void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail(temporary);
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  ::close(fd);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int why = errno;
  ::unlink(temporary.c_str());
  errno = why;
  fail(path);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_if_changed(const std::string& path, const std::string& text) {
  if (read_file(path) != text) write_file(path, text);
}

// A running server has written at least this much to its log, see mark_running().
constexpr std::uintmax_t kLogHeaderBytes = 32;

const std::string kWhatToDo =
    "Put the missing file back, or all of the folder from a backup; or move what is left away and start anew.";

// What a server leaves besides its database.
std::vector<std::string> traces_of_data(const std::string& folder) {
  std::vector<std::string> found;
  for (const char* name : {"credentials", "stoker.db-wal"}) {
    if (fs::exists(folder + "/" + name)) found.push_back(name);
  }
  std::error_code error;
  const auto files = fs::recursive_directory_iterator(folder + "/objects", error);
  if (error) return found;
  const bool objects = std::any_of(begin(files), end(files), [](const auto& entry) { return entry.is_regular_file(); });
  if (objects) found.push_back("objects");
  return found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

void check_data_folder(const std::string& folder, bool embedded) {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) return;  // a new one
  if (status.st_mode & S_IWOTH) {
    throw std::runtime_error("everybody may write to the data folder " + folder + ": run `chmod o-w " + folder + "`");
  }
  if (!embedded) return;
  const std::string database = folder + "/stoker.db";
  std::error_code missing;
  const auto size = fs::file_size(database, missing);
  if (missing || size == 0) {
    const auto present = traces_of_data(folder);
    if (present.empty()) return;
    throw std::runtime_error("the data folder " + folder + " has " + joined(present) + ", but its database stoker.db is " +
                             (missing ? "missing" : "empty") + ". A start would make a new, empty one and hide the loss. " +
                             kWhatToDo);
  }
  if (!fs::exists(folder + "/running")) return;
  const auto log_size = fs::file_size(database + "-wal", missing);
  if (missing || log_size < kLogHeaderBytes) {
    throw std::runtime_error("the last server of the data folder " + folder + " did not end by itself, and its write-ahead "
                             "log stoker.db-wal is " + (missing ? "missing" : "cut off") +
                             ": the last writes may be lost. " + kWhatToDo +
                             " To go on without these writes, delete " + folder + "/running.");
  }
}

void check_new_database(const std::string& folder) {
  const auto present = traces_of_data(folder);
  if (present.empty()) return;
  throw std::runtime_error("the data folder " + folder + " has " + joined(present) + ", but the database of --store is new. "
                           "A start would hide the loss of the other one. Name the database that belongs to this folder, or "
                           "restore it; or move what is left away and start anew.");
}

void mark_running(const std::string& folder) { write_file(folder + "/running", ""); }

void unmark_running(const std::string& folder) { ::unlink((folder + "/running").c_str()); }

void write_credentials(const std::string& folder, const state::Key& key) {
  write_if_changed(folder + "/credentials", "[default]\naws_access_key_id = " + key.id +
                                                "\naws_secret_access_key = " + key.secret + "\n");
}

// A full disk must not keep a server from starting: our own command line uses the socket beside this file.
void write_endpoint(const std::string& folder, const std::string& url) {
  try {
    write_if_changed(folder + "/endpoint", url + "\n");
  } catch (const std::runtime_error& error) {
    base::log_warn("the server's address was not recorded", {{"error", error.what()}});
  }
}

}  // namespace control
