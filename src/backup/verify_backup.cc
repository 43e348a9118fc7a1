// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "backup/backup.h"
#include "backup/manifest.h"
#include "backup/stored_files.h"
#include "base/bytes.h"
#include "objects/verify.h"
#include "services/s3/stored_runs.h"
#include "store/sqlite_file.h"
#include "telemetry/logs/chunk.h"

namespace backup {
namespace {

using shapes::stoker::BackupCheck;

constexpr std::int64_t kRunsAtOnce = 50;  // small ones include their bytes
constexpr std::int64_t kChunksAtOnce = 1000;

void check_runs(store::Tx& tx, const objects::Files& files, BackupCheck& check) {
  for (services::s3::RunPosition place; place.table != services::s3::RunPosition::Done;) {
    for (const services::s3::StoredRun& run : services::s3::next_runs(tx, place, kRunsAtOnce)) {
      ++check.checked;
      check.bytes += run.size;
      objects::Verdict verdict{objects::Verdict::Missing, "the row of its bytes is missing"};
      const objects::Expected expected{static_cast<std::uint64_t>(run.size), services::s3::digests_of(run)};
      if (run.bytes) {
        verdict = run.bytes->file.empty() ? objects::verify_bytes(run.bytes->bytes, expected)
                                          : objects::verify_file_now(files, run.bytes->file, expected);
      }
      if (verdict.kind == objects::Verdict::Whole) continue;
      const std::string part = run.part > 0 ? ", part " + std::to_string(run.part) : "";
      check.problems.push_back(run.bucket + "/" + run.key + part + ": " + verdict.detail);
    }
  }
}

bool is_whole_chunk(const objects::Files& files, const std::string& name, std::int64_t& bytes) {
  const auto file = files.open(name);
  if (!file) return false;
  std::string chunk(file->size(), '\0');
  bytes += static_cast<std::int64_t>(chunk.size());
  if (file->pread(chunk.data(), chunk.size(), 0) < chunk.size()) return false;
  const auto head = telemetry::parse_head(chunk);
  return head && telemetry::decode_text(*head, chunk) && telemetry::decode_rows(*head, chunk);
}

void check_chunks(store::Tx& tx, const FileKind& kind, const objects::Files& files, BackupCheck& check) {
  for (std::string after;;) {
    const auto names = kind.names(tx, after, kChunksAtOnce);
    if (names.empty()) return;
    for (const std::string& name : names) {
      ++check.checked;
      if (!is_whole_chunk(files, name, check.bytes)) check.problems.push_back("the log chunk " + name + " is missing or damaged");
    }
    after = names.back();
  }
}

}  // namespace

BackupCheck verify_backup(const std::string& folder) {
  const Manifest manifest = read_manifest(folder);
  BackupCheck check{.createdAt = manifest.createdAt};
  const std::string path = folder + "/" + manifest.database;
  if (!std::filesystem::exists(path)) {
    check.problems.push_back("the database " + path + " is missing");
    return check;
  }
  if (sha256_of(path) != manifest.databaseSha256) {
    check.problems.push_back("the database " + path + " is damaged: its SHA-256 is not the manifest's");
    return check;
  }
  for (std::string& problem : store::check_database(path)) check.problems.push_back("the database: " + std::move(problem));
  const FileKind &blobs = file_kinds()[0], &chunks = file_kinds()[1];
  store::read_database(path, [&](store::Tx& tx) {
    check_runs(tx, objects::Files(folder + "/" + blobs.folder), check);
    check_chunks(tx, chunks, objects::Files(folder + "/" + chunks.folder), check);
  });
  return check;
}

}  // namespace backup
