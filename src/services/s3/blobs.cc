// SPDX-License-Identifier: Apache-2.0
#include "services/s3/blobs.h"

namespace services::s3 {
namespace {

// Wakes the sweep once a call.
void sweep_later(Call& call) {
  for (const Wake& wake : call.wakes) {
    if (wake.topic == kBlobSweepTopic) return;
  }
  call.wake(kBlobSweepTopic);
}

}  // namespace

std::int64_t add_blob(store::Tx& tx, const Upload& upload) {
  if (!upload.file.empty()) {
    return tx.insert("INSERT INTO s3_blobs (refs, size, file) VALUES (1, $1, $2)", upload.size, upload.file);
  }
  return tx.insert("INSERT INTO s3_blobs (refs, size, bytes) VALUES (1, $1, $2)", upload.size,
                   store::BlobView{upload.bytes});
}

Extent read_blob(store::Tx& tx, std::int64_t blob) {
  auto extent = tx.query("SELECT file, bytes FROM s3_blobs WHERE id = $1", blob).one([&](const store::Row& row) {
    return Extent{.bytes = row.str(1), .file = row.maybe_str(0).value_or("")};
  });
  CHECK(extent) << "the row of an object's bytes is missing";
  return std::move(*extent);
}

void add_reference(store::Tx& tx, std::int64_t blob) {
  const std::int64_t held = tx.exec("UPDATE s3_blobs SET refs = refs + 1 WHERE id = $1 AND refs > 0", blob);
  CHECK(held == 1) << "unused bytes got a reference";
}

void release_blob(Call& call, std::int64_t blob) {
  // Bytes without a file need no sweep, so that one statement deletes them.
  if (call.tx.exec("DELETE FROM s3_blobs WHERE id = $1 AND refs = 1 AND file IS NULL", blob) == 1) return;
  const std::int64_t left =
      call.tx.query("UPDATE s3_blobs SET refs = refs - 1 WHERE id = $1 RETURNING refs", blob).integer();
  if (left == 0) sweep_later(call);
}

void release_object_parts(Call& call, std::int64_t object) {
  call.tx.exec("DELETE FROM s3_blobs WHERE file IS NULL AND id IN (SELECT blob FROM s3_object_parts WHERE object = $1)",
               object);
  call.tx.exec("UPDATE s3_blobs SET refs = 0 WHERE id IN (SELECT blob FROM s3_object_parts WHERE object = $1)", object);
  call.tx.exec("DELETE FROM s3_object_parts WHERE object = $1", object);
  sweep_later(call);
}

Usage release_upload_parts(Call& call, std::int64_t upload) {
  const Usage freed = call.tx.query("SELECT count(*), coalesce(sum(size), 0) FROM s3_parts WHERE upload = $1", upload)
                          .one([](const store::Row& row) { return Usage{.bytes = row.integer(1), .objects = row.integer(0)}; })
                          .value();
  call.tx.exec("DELETE FROM s3_blobs WHERE file IS NULL AND id IN (SELECT blob FROM s3_parts WHERE upload = $1)", upload);
  call.tx.exec("UPDATE s3_blobs SET refs = 0 WHERE id IN (SELECT blob FROM s3_parts WHERE upload = $1)", upload);
  call.tx.exec("DELETE FROM s3_parts WHERE upload = $1", upload);
  sweep_later(call);
  return freed;
}

std::vector<UnusedBlob> unused_blobs(store::Tx& tx, std::int64_t most, std::int64_t after) {
  return tx.query("SELECT id, file FROM s3_blobs WHERE refs = 0 AND id > $2 ORDER BY id LIMIT $1", most, after)
      .all([](const store::Row& row) { return UnusedBlob{row.integer(0), row.str(1)}; });
}

void forget_blob(store::Tx& tx, std::int64_t blob) {
  tx.exec("DELETE FROM s3_blobs WHERE id = $1 AND refs = 0", blob);
}

std::vector<std::string> stored_files(store::Tx& tx, const std::string& after, std::int64_t most) {
  return tx.query("SELECT file FROM s3_blobs WHERE file > $1 AND file IS NOT NULL AND refs > 0 ORDER BY file LIMIT $2",
                  after, most)
      .all([](const store::Row& row) { return row.str(0); });
}

bool is_named(store::Tx& tx, const std::string& file) {
  return tx.query("SELECT 1 FROM s3_blobs WHERE file = $1", file).integer() == 1;
}

}  // namespace services::s3
