// SPDX-License-Identifier: Apache-2.0
#include "services/s3/stored_runs.h"

#include "base/bytes.h"
#include "services/s3/checksums.h"

namespace services::s3 {
namespace {

// Columns: id, part, bucket, key, tag, size, etag, checksum_kind, checksum_type, checksum, blob, then of the blob:
// id, file, bytes.
constexpr std::string_view kObjects =
    "SELECT o.id, 0, b.name, o.key, o.tag, o.size, o.etag, o.checksum_kind, o.checksum_type, o.checksum, o.blob,"
    " s.id, s.file, s.bytes FROM s3_objects o JOIN s3_buckets b ON b.id = o.bucket LEFT JOIN s3_blobs s ON s.id = o.blob"
    " WHERE o.id > $1 AND $2 = 0 AND o.blob IS NOT NULL ORDER BY o.id LIMIT $3";
constexpr std::string_view kObjectParts =
    "SELECT o.id, p.number, b.name, o.key, o.tag, p.size, p.etag, o.checksum_kind, 'FULL_OBJECT', p.checksum, p.blob,"
    " s.id, s.file, s.bytes FROM s3_object_parts p JOIN s3_objects o ON o.id = p.object"
    " JOIN s3_buckets b ON b.id = o.bucket LEFT JOIN s3_blobs s ON s.id = p.blob"
    " WHERE (p.object, p.number) > ($1, $2) ORDER BY p.object, p.number LIMIT $3";
constexpr std::string_view kUploadParts =
    "SELECT u.id, p.number, b.name, u.key, u.tag, p.size, p.etag, u.checksum_kind, 'FULL_OBJECT', p.checksum, p.blob,"
    " s.id, s.file, s.bytes FROM s3_parts p JOIN s3_uploads u ON u.id = p.upload JOIN s3_buckets b ON b.id = u.bucket"
    " LEFT JOIN s3_blobs s ON s.id = p.blob"
    " WHERE (p.upload, p.number) > ($1, $2) ORDER BY p.upload, p.number LIMIT $3";

std::string_view statement_of(RunPosition::Table table) {
  switch (table) {
    case RunPosition::Objects: return kObjects;
    case RunPosition::ObjectParts: return kObjectParts;
    default: return kUploadParts;
  }
}

std::optional<StoredChecksum> checksum_in(const store::Row& row) {
  // A composite checksum is not the checksum of any bytes.
  if (row.is_null(9) || row.text(8) != kFullObject) return std::nullopt;
  // An upload without a stated algorithm has the default one.
  const std::string kind = row.maybe_str(7).value_or(std::string(checksum_name(kDefaultChecksum)));
  return StoredChecksum{kind, kFullObject, row.str(9)};
}

StoredRun read_run(const store::Row& row, RunPosition::Table table) {
  StoredRun run;
  run.part = row.integer(1);
  run.bucket = row.str(2);
  run.key = row.str(3);
  const std::string row_id = row.is_null(4) ? "null" : row_id_text({row.integer(0), row.integer(4)});
  (table == RunPosition::UploadParts ? run.upload : run.version) = row_id;
  run.size = row.integer(5);
  const std::string etag = row.str(6);
  if (etag.size() == 32) run.md5 = etag;
  run.checksum = checksum_in(row);
  run.blob = row.integer(10);
  if (!row.is_null(11)) {
    run.bytes = Extent{.bytes = row.str(13), .file = row.maybe_str(12).value_or("")};
    run.bytes->length = static_cast<std::uint64_t>(run.size);
  }
  return run;
}

}  // namespace

std::vector<StoredRun> next_runs(store::Tx& tx, RunPosition& place, std::int64_t most) {
  std::vector<StoredRun> runs;
  while (runs.empty() && place.table != RunPosition::Done) {
    const RunPosition::Table table = place.table;
    tx.query(statement_of(table), place.id, table == RunPosition::Objects ? 0 : place.part, most)
        .each([&](const store::Row& row) {
          runs.push_back(read_run(row, table));
          place.id = row.integer(0);
          place.part = row.integer(1);
        });
    if (runs.empty()) place = {static_cast<RunPosition::Table>(table + 1), 0, 0};
  }
  return runs;
}

std::map<base::Checksum, std::string> digests_of(const StoredRun& run) {
  std::map<base::Checksum, std::string> digests;
  if (auto md5 = base::from_hex(run.md5); md5 && !md5->empty()) digests[base::Checksum::Md5] = *md5;
  if (run.checksum) {
    if (auto value = base::from_base64(run.checksum->value)) digests[checksum_kind(run.checksum->kind)] = *value;
  }
  return digests;
}

bool is_used(store::Tx& tx, const StoredRun& run) {
  if (run.bytes) return tx.query("SELECT refs FROM s3_blobs WHERE id = $1", run.blob).integer() > 0;
  // The blob's row is missing: find a row that refers to it.
  const std::int64_t users = tx.query("SELECT (SELECT count(*) FROM s3_object_parts WHERE blob = $1) +"
                                      " (SELECT count(*) FROM s3_parts WHERE blob = $1) +"
                                      " (SELECT count(*) FROM s3_objects WHERE blob = $1)",
                                      run.blob)
                                 .integer();
  return users > 0;
}

std::vector<std::string> named_files(store::Tx& tx, const std::vector<std::string>& files) {
  std::vector<std::string> named;
  for (const std::string& file : files) {
    if (tx.query("SELECT 1 FROM s3_blobs WHERE file = $1", file).integer() == 1) named.push_back(file);
  }
  return named;
}

}  // namespace services::s3
