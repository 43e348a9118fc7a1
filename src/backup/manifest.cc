// SPDX-License-Identifier: Apache-2.0
#include "backup/manifest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/file.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace backup {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

std::string manifest_path(const std::string& folder) { return folder + "/manifest.json"; }

// A name that could lead out of the folder is not ours.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos;
}

}  // namespace

bool has_manifest(const std::string& folder) { return std::filesystem::exists(manifest_path(folder)); }

Manifest read_manifest(const std::string& folder) {
  std::ifstream in(manifest_path(folder));
  if (!in) throw std::runtime_error(folder + " has no complete backup: manifest.json is missing");
  std::ostringstream text;
  text << in.rdbuf();
  Manifest manifest;
  try {
    wire::read_json(wire::type_of<Manifest>(), text.str(), &manifest);
  } catch (const wire::ApiError& error) {
    throw std::runtime_error(manifest_path(folder) + " is damaged: " + error.what());
  }
  if (manifest.format > kFormat) {
    throw std::runtime_error(folder + " was written by a newer Stoker: its format is " +
                             std::to_string(manifest.format) + ", this program supports " + std::to_string(kFormat));
  }
  if (manifest.format < 1 || !is_plain_name(manifest.database)) {
    throw std::runtime_error(manifest_path(folder) + " is damaged");
  }
  return manifest;
}

void write_manifest(const std::string& folder, const Manifest& manifest) {
  const std::string path = manifest_path(folder), temporary = path + ".new";
  std::string text;
  wire::write_json(wire::type_of<Manifest>(), &manifest, text);
  std::filesystem::remove(temporary);
  base::File file = base::File::create(temporary);
  file.write_all(text + "\n");
  file.sync();
  std::filesystem::rename(temporary, path);
  base::sync_folder(folder);
}

std::string sha256_of(const std::string& path) {
  const base::File file = base::File::open(path);
  base::Hasher hasher(base::Checksum::Sha256);
  std::string buffer(kReadBytes, '\0');
  for (std::uint64_t at = 0;;) {
    const std::size_t got = file.pread(buffer.data(), buffer.size(), at);
    if (got == 0) return base::to_hex(hasher.finish());
    hasher.update(std::string_view(buffer).substr(0, got));
    at += got;
  }
}

}  // namespace backup
