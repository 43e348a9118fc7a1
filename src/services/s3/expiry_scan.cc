// SPDX-License-Identifier: Apache-2.0
#include "services/s3/expiry_scan.h"

#include "services/shape_json.h"

namespace services::s3 {
namespace {

// Of one slice, so that no other writer waits long while it is applied.
constexpr std::int64_t kMaxScannedRows = 1000;
constexpr std::size_t kMaxExpiredRows = 100;

Tags stored_tags(std::string_view text) { return text.empty() ? Tags() : from_json<Tags>(text); }

// Latest versions: objects, or delete markers.
std::vector<Object> latest_rows(const ExpiryScan& scan, bool marker) {
  return scan.tx
      .query("SELECT key, id, tag, modified_at, size, tags FROM s3_objects WHERE bucket = $1 AND marker = $2"
             " AND latest = 1 AND key >= $3 AND key < $4 ORDER BY key LIMIT $5",
             scan.bucket.id, marker, base::Blob{scan.from}, base::Blob{scan.end}, kMaxScannedRows)
      .all([&](const store::Row& row) {
        Object object;
        object.key = row.str(0);
        object.id = row.integer(1);
        object.tag = row.maybe_integer(2);
        object.marker = marker;
        object.modified_at = row.time(3);
        object.size = row.integer(4);
        object.tags = stored_tags(row.text(5));
        return object;
      });
}

struct NoncurrentRow {
  Object object;
  base::Time latest_at;  // when the key's latest version was written
};

#define S3_NONCURRENT_ROWS                                                                                  \
  "SELECT o.key, o.id, o.tag, o.marker, o.modified_at, o.size, o.tags,"                                     \
  " (SELECT n.modified_at FROM s3_objects n WHERE n.bucket = $1 AND n.marker IN (0, 1) AND n.key = o.key"   \
  " AND n.latest = 1) FROM s3_objects o WHERE o.bucket = $1 AND o.latest = 0"

NoncurrentRow read_noncurrent(const store::Row& row) {
  NoncurrentRow out;
  out.object.key = row.str(0);
  out.object.id = row.integer(1);
  out.object.tag = row.maybe_integer(2);
  out.object.latest = false;
  out.object.marker = row.boolean(3);
  out.object.modified_at = row.time(4);
  out.object.size = row.integer(5);
  out.object.tags = stored_tags(row.text(6));
  out.latest_at = row.time(7);
  return out;
}

// Newest first: the versions before a row show since when it is noncurrent, and how many are newer.
std::vector<NoncurrentRow> noncurrent_rows(const ExpiryScan& scan) {
  std::vector<NoncurrentRow> rows;
  if (scan.position.after_id != 0) {
    rows = scan.tx
               .query(S3_NONCURRENT_ROWS " AND o.key = $2 AND o.id < $3 ORDER BY o.id DESC LIMIT $4", scan.bucket.id,
                      base::Blob{scan.position.after}, scan.position.after_id, kMaxScannedRows)
               .all(&read_noncurrent);
  }
  if (std::ssize(rows) == kMaxScannedRows) return rows;
  scan.tx
      .query(S3_NONCURRENT_ROWS " AND o.key >= $2 AND o.key < $3 ORDER BY o.key, o.id DESC LIMIT $4", scan.bucket.id,
             base::Blob{scan.from}, base::Blob{scan.end}, kMaxScannedRows - std::ssize(rows))
      .each([&](const store::Row& row) { rows.push_back(read_noncurrent(row)); });
  return rows;
}

}  // namespace

bool has_noncurrent_versions(store::Tx& tx, const Bucket& bucket, const std::string& key) {
  return tx.query("SELECT 1 FROM s3_objects WHERE bucket = $1 AND key = $2 AND latest = 0 LIMIT 1", bucket.id,
                  base::Blob{key})
             .integer() != 0;
}

bool ExpiryScan::run() {
  switch (position.stage) {
    case ExpiryStage::Objects: return scan_objects();
    case ExpiryStage::Noncurrent: return scan_noncurrent();
    case ExpiryStage::Markers: return scan_markers();
    case ExpiryStage::Uploads: return scan_uploads();
    case ExpiryStage::Done: break;
  }
  return true;
}

bool ExpiryScan::add(const Object& object) {
  expired.push_back({position.stage, object.id, object.key, object.version()});
  return expired.size() < kMaxExpiredRows;
}

bool ExpiryScan::scan_objects() {
  const std::vector<Object> rows = latest_rows(*this, false);
  for (const Object& object : rows) {
    position.after = object.key;
    if (is_due(expiry_of(rules, object)) && !add(object)) return false;
  }
  return std::ssize(rows) < kMaxScannedRows;
}

bool ExpiryScan::scan_markers() {
  const std::vector<Object> rows = latest_rows(*this, true);
  for (const Object& marker : rows) {
    position.after = marker.key;
    if (!is_due(marker_expiry_of(rules, marker)) || has_noncurrent_versions(tx, bucket, marker.key)) continue;
    if (!add(marker)) return false;
  }
  return std::ssize(rows) < kMaxScannedRows;
}

bool ExpiryScan::scan_noncurrent() {
  const std::vector<NoncurrentRow> rows = noncurrent_rows(*this);
  for (const NoncurrentRow& row : rows) {
    const Object& object = row.object;
    const bool same_key = position.after_id != 0 && position.after == object.key;
    const base::Time since = same_key ? position.since : row.latest_at;
    const std::int64_t newer = same_key ? position.newer + 1 : 0;
    position.after = object.key;
    position.after_id = object.id;
    position.newer = newer;
    position.since = object.modified_at;
    if (is_due(noncurrent_expiry_of(rules, object, since, newer)) && !add(object)) return false;
  }
  return std::ssize(rows) < kMaxScannedRows;
}

bool ExpiryScan::scan_uploads() {
  struct UploadRow {
    std::string key;
    std::int64_t id = 0;
    base::Time initiated_at;
  };
  const std::string start = position.after_id != 0 ? position.after : from;
  const auto rows = tx.query("SELECT key, id, initiated_at FROM s3_uploads WHERE bucket = $1 AND (key, id) > ($2, $3)"
                             " AND key < $4 ORDER BY key, id LIMIT $5",
                             bucket.id, base::Blob{start}, position.after_id, base::Blob{end}, kMaxScannedRows)
                        .all([](const store::Row& row) { return UploadRow{row.str(0), row.integer(1), row.time(2)}; });
  for (const UploadRow& row : rows) {
    position.after = row.key;
    position.after_id = row.id;
    if (!is_due(abort_of(rules, row.key, row.initiated_at))) continue;
    expired.push_back({position.stage, row.id, row.key, ""});
    if (expired.size() == kMaxExpiredRows) return false;
  }
  return std::ssize(rows) < kMaxScannedRows;
}

}  // namespace services::s3
