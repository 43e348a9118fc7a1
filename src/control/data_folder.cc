// SPDX-License-Identifier: Apache-2.0
#include "control/data_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace control {
namespace {

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
  if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
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

}  // namespace

void write_credentials(const std::string& folder, const state::Key& key) {
  write_if_changed(folder + "/credentials", "[default]\naws_access_key_id = " + key.id +
                                                "\naws_secret_access_key = " + key.secret + "\n");
}

void write_endpoint(const std::string& folder, const std::string& url) {
  write_if_changed(folder + "/endpoint", url + "\n");
}

}  // namespace control
