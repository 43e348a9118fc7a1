// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_row.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/random.h"
#include "services/s3/quota.h"
#include "services/shape_json.h"

namespace services::s3 {
namespace {

// Room for ids within one millisecond, so that they grow with time whatever the clock's resolution is.
constexpr int kIdBitsBelowMillis = 20;
constexpr std::size_t kRowIdLength = 32;

std::int64_t least_id(base::Time now) { return base::to_millis(now) << kIdBitsBelowMillis; }

store::BlobView bytes_of(std::string_view key) { return {key}; }

constexpr std::string_view kSelect =
    "SELECT id, bucket, key, tag, latest, marker, modified_at, size, etag, blob, parts, upload, checksum_kind,"
    " checksum_type, checksum, headers, tags, object_lock FROM s3_objects";

// Built once: statements are cached by their text.
std::string select_where(std::string_view condition) { return std::string(kSelect) + " WHERE " + std::string(condition); }

Object object_of(const store::Row& row) {
  Object object;
  object.id = row.integer(0);
  object.bucket = row.integer(1);
  object.key = row.str(2);
  object.tag = row.maybe_integer(3);
  object.latest = row.boolean(4);
  object.marker = row.boolean(5);
  object.modified_at = row.time(6);
  object.size = row.integer(7);
  object.etag = row.str(8);
  object.blob = row.maybe_integer(9);
  object.parts = row.integer(10);
  object.upload = row.maybe_integer(11);
  if (!row.is_null(12)) object.checksum = StoredChecksum{row.str(12), row.str(13), row.str(14)};
  object.headers = from_json<Headers>(row.text(15));
  if (!row.text(16).empty()) object.tags = from_json<Tags>(row.text(16));
  if (!row.is_null(17)) object.lock = from_json<VersionLock>(row.text(17));
  return object;
}

// The version "null", where it is noncurrent.
std::optional<Object> load_older_null(store::Tx& tx, const Bucket& bucket, std::string_view key) {
  static const std::string sql = select_where("bucket = $1 AND key = $2 AND latest = 0 AND tag IS NULL");
  return tx.query(sql, bucket.id, bytes_of(key)).one(object_of);
}

void insert_object(Call& call, Object& object, std::int64_t above) {
  const std::string headers = to_json(object.headers);
  const std::string tags = object.tags.empty() ? "" : to_json(object.tags);
  std::optional<std::string_view> kind, type, value;
  if (object.checksum) {
    kind = object.checksum->kind;
    type = object.checksum->type;
    value = object.checksum->value;
  }
  object.id = call.tx.insert(
      "INSERT INTO s3_objects (id, bucket, key, tag, latest, marker, modified_at, size, etag, blob, parts, upload,"
      " checksum_kind, checksum_type, checksum, headers, tags, object_lock) VALUES"
      " ((SELECT CASE WHEN newest >= $1 THEN newest + 1 ELSE $1 END FROM"
      " (SELECT max(id) AS newest FROM s3_objects) AS ids),"
      " $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
      std::max(least_id(call.now), above + 1), object.bucket, bytes_of(object.key), object.tag, object.marker,
      object.modified_at, object.size, object.etag, object.blob, object.parts, object.upload, kind, type, value,
      headers, tags, lock_text(object.lock));
}

// Deletes the row and releases its bytes. Returns what that frees.
Usage remove_row(Call& call, const Object& object) {
  call.tx.exec("DELETE FROM s3_objects WHERE id = $1", object.id);
  if (object.blob) release_blob(call, *object.blob);
  if (object.parts > 0) release_object_parts(call, object.id);
  return {.bytes = object.size, .objects = 1};
}

Usage remove_version(Call& call, std::int64_t id) {
  struct Bytes {
    std::optional<std::int64_t> blob;
    std::int64_t parts = 0, size = 0;
  };
  auto bytes = call.tx.query("DELETE FROM s3_objects WHERE id = $1 RETURNING blob, parts, size", id)
                   .one([](const store::Row& row) { return Bytes{row.maybe_integer(0), row.integer(1), row.integer(2)}; });
  if (!bytes) return {};
  if (bytes->blob) release_blob(call, *bytes->blob);
  if (bytes->parts > 0) release_object_parts(call, id);
  return {.bytes = bytes->size, .objects = 1};
}

}  // namespace

std::string Object::version() const { return tag ? row_id_text({id, *tag}) : "null"; }

std::string row_id_text(RowId row_id) {
  char raw[16];
  for (int i = 0; i < 8; ++i) {
    raw[i] = static_cast<char>(static_cast<std::uint64_t>(row_id.id) >> (56 - 8 * i));
    raw[8 + i] = static_cast<char>(static_cast<std::uint64_t>(row_id.tag) >> (56 - 8 * i));
  }
  return base::to_hex({raw, sizeof raw});
}

std::optional<RowId> parse_row_id(std::string_view text) {
  if (text.size() != kRowIdLength || text.find_first_not_of("0123456789abcdef") != text.npos) return std::nullopt;
  std::string raw = *base::from_hex(text);
  std::uint64_t id = 0, tag = 0;
  for (int i = 0; i < 8; ++i) {
    id = id << 8 | static_cast<unsigned char>(raw[i]);
    tag = tag << 8 | static_cast<unsigned char>(raw[8 + i]);
  }
  return RowId{static_cast<std::int64_t>(id), static_cast<std::int64_t>(tag)};
}

std::int64_t random_tag() {
  std::int64_t tag = 0;
  std::memcpy(&tag, base::random_bytes(sizeof tag).data(), sizeof tag);
  return tag;
}

std::int64_t next_object_id(store::Tx& tx, base::Time now) {
  return std::max(least_id(now), tx.query("SELECT max(id) FROM s3_objects").integer() + 1);
}

std::optional<Object> load_latest(store::Tx& tx, const Bucket& bucket, std::string_view key) {
  static const std::string sql = select_where("bucket = $1 AND marker IN (0, 1) AND key = $2 AND latest = 1");
  return tx.query(sql, bucket.id, bytes_of(key)).one(object_of);
}

std::optional<Object> load_version(store::Tx& tx, const Bucket& bucket, std::string_view key,
                                   std::string_view version) {
  if (version == "null") {
    auto latest = load_latest(tx, bucket, key);
    return latest && !latest->tag ? latest : load_older_null(tx, bucket, key);
  }
  auto row_id = parse_row_id(version);
  if (!row_id) return std::nullopt;
  static const std::string sql = select_where("id = $1 AND bucket = $2 AND key = $3 AND tag = $4");
  return tx.query(sql, row_id->id, bucket.id, bytes_of(key), row_id->tag).one(object_of);
}

std::optional<LatestSummary> load_latest_summary(store::Tx& tx, const Bucket& bucket, std::string_view key) {
  return tx
      .query("SELECT id, tag, marker, etag, modified_at, size FROM s3_objects"
             " WHERE bucket = $1 AND marker IN (0, 1) AND key = $2 AND latest = 1",
             bucket.id, bytes_of(key))
      .one([](const store::Row& row) {
        return LatestSummary{row.integer(0), row.is_null(1), row.boolean(2), row.str(3), row.time(4), row.integer(5)};
      });
}

void put_version(Call& call, const Bucket& bucket, const std::optional<LatestSummary>& standing, Object& object) {
  object.bucket = bucket.id;
  object.latest = true;
  object.tag = bucket.versioned() ? std::optional(random_tag()) : std::nullopt;
  Usage change{.bytes = object.size, .objects = 1};
  if (standing && standing->null && !bucket.versioned()) {
    change += -remove_version(call, standing->id);
  } else if (standing) {
    call.tx.exec("UPDATE s3_objects SET latest = 0 WHERE id = $1", standing->id);
  }
  if (!bucket.versioned() && standing && !standing->null) {
    if (auto older = load_older_null(call.tx, bucket, object.key)) change += -remove_row(call, *older);
  }
  add_usage(call.tx, bucket.account, change);
  insert_object(call, object, standing ? standing->id : 0);
}

Deleted delete_latest(Call& call, const Bucket& bucket, const std::string& key) {
  Deleted deleted;
  std::optional<Object> latest = load_latest(call.tx, bucket, key);
  deleted.existed = latest && !latest->marker;
  if (!bucket.versioning) {
    if (!latest) return deleted;
    add_usage(call.tx, bucket.account, -remove_row(call, *latest));
    deleted.removed = std::move(latest);
    return deleted;
  }
  if (!bucket.versioned()) deleted.removed = latest && !latest->tag ? latest : load_older_null(call.tx, bucket, key);
  std::optional<LatestSummary> standing;
  if (latest) standing = LatestSummary{latest->id, !latest->tag, latest->marker, latest->etag, {}, latest->size};
  if (!deleted.existed) check_quota(call, bucket.account, gain_of(bucket, standing, 0));
  Object marker;
  marker.key = key;
  marker.marker = true;
  marker.modified_at = call.now;
  put_version(call, bucket, standing, marker);
  deleted.marker = std::move(marker);
  return deleted;
}

void delete_version(Call& call, const Bucket& bucket, const Object& object) {
  add_usage(call.tx, bucket.account, -remove_row(call, object));
  if (!object.latest) return;
  call.tx.exec("UPDATE s3_objects SET latest = 1 WHERE id = (SELECT id FROM s3_objects"
               " WHERE bucket = $1 AND key = $2 AND latest = 0 ORDER BY id DESC LIMIT 1)",
               bucket.id, bytes_of(object.key));
}

std::optional<std::string> lock_text(const VersionLock& lock) {
  return lock.empty() ? std::nullopt : std::optional(to_json(lock));
}

void set_lock(store::Tx& tx, const Object& object) {
  tx.exec("UPDATE s3_objects SET object_lock = $2 WHERE id = $1", object.id, lock_text(object.lock));
}

void delete_upload(Call& call, const Bucket& bucket, std::int64_t upload) {
  Usage freed = release_upload_parts(call, upload);
  freed.objects += call.tx.exec("DELETE FROM s3_uploads WHERE id = $1", upload);
  add_usage(call.tx, bucket.account, -freed);
}

}  // namespace services::s3
