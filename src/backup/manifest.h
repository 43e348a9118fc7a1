// SPDX-License-Identifier: Apache-2.0
// The manifest of a backup. Writing it is what makes a backup: until then the one before counts.
#pragma once

#include <string>

#include "shapes/stoker/backup.h"

namespace backup {

inline constexpr std::int64_t kFormat = 1;

using Manifest = shapes::stoker::BackupManifest;

// Throws where there is no backup, or one of a newer Stoker.
Manifest read_manifest(const std::string& folder);
bool has_manifest(const std::string& folder);
// Atomic and durable.
void write_manifest(const std::string& folder, const Manifest& manifest);

// Of a file's bytes, in hexadecimal.
std::string sha256_of(const std::string& path);

}  // namespace backup
