// SPDX-License-Identifier: Apache-2.0
// What a backup consists of: the file manifest.json, and the reports of `stoker backup`.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shapes::stoker {

struct BackupManifest {
  std::int64_t format = 0;
  std::string createdAt;
  std::string database;  // the name of its file
  std::int64_t databaseBytes = 0;
  std::string databaseSha256;  // in hexadecimal
  std::int64_t files = 0;      // of objects and log chunks
  std::int64_t fileBytes = 0;
};
BOOST_DESCRIBE_STRUCT(BackupManifest, (), (format, createdAt, database, databaseBytes, databaseSha256, files, fileBytes))

struct BackupReport {
  std::int64_t databaseBytes = 0;
  std::int64_t copiedFiles = 0, copiedBytes = 0;
  std::int64_t keptFiles = 0;     // copied by an earlier backup
  std::int64_t removedFiles = 0;  // that the backup does not need any more
};
BOOST_DESCRIBE_STRUCT(BackupReport, (), (databaseBytes, copiedFiles, copiedBytes, keptFiles, removedFiles))

struct BackupCheck {
  std::string createdAt;
  std::int64_t checked = 0, bytes = 0;  // objects, parts of objects, and log chunks
  std::vector<std::string> problems;
};
BOOST_DESCRIBE_STRUCT(BackupCheck, (), (createdAt, checked, bytes, problems))

}  // namespace shapes::stoker
