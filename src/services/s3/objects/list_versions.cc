// SPDX-License-Identifier: Apache-2.0
// All versions and delete markers, keys in their order and the newest of each first.
#include "services/s3/objects/list_versions.h"

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/list_request.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/operations.h"
#include "services/s3/whole_seconds.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {
namespace {

struct ListedVersion {
  std::string key;
  std::int64_t id = 0;
  std::string version;
  bool latest = false, marker = false;
  shape::ObjectVersion shown;  // all of it but Key, VersionId, IsLatest and Owner

  Position position_after() const { return {key, id}; }
};

ListedVersion read_listed_version(const store::Row& row) {
  ListedVersion out{.key = row.str(0), .id = row.integer(1), .latest = row.boolean(3), .marker = row.boolean(4)};
  out.version = row.is_null(2) ? "null" : numbered_text({out.id, row.integer(2)});
  out.shown.LastModified = whole_seconds(row.time(5));
  if (out.marker) return out;
  out.shown.ETag = '"' + row.str(6) + '"';
  out.shown.Size = row.integer(7);
  if (!row.is_null(8)) {
    out.shown.ChecksumAlgorithm = {row.str(8)};
    out.shown.ChecksumType = row.str(9);
  }
  out.shown.StorageClass = storage_class_of(row.text(10));
  return out;
}

#define S3_VERSION_COLUMNS \
  "key, id, tag, latest, marker, modified_at, etag, size, checksum_kind, checksum_type, headers"

// Versions of one key that are older than one of them, whether that is still there or not.
std::vector<ListedVersion> rest_of_key(store::Tx& tx, const Bucket& bucket, const Position& position, std::size_t limit) {
  return tx
      .query("SELECT " S3_VERSION_COLUMNS
             " FROM ("
             "SELECT * FROM s3_objects WHERE bucket = $1 AND marker IN (0, 1) AND key = $2 AND latest = 1"
             " UNION ALL SELECT * FROM (SELECT * FROM s3_objects WHERE bucket = $1 AND key = $2 AND id < $3"
             " AND latest = 0 ORDER BY id DESC LIMIT $4) AS older"
             ") AS versions WHERE id < $3 ORDER BY id DESC LIMIT $4",
             bucket.id, base::Blob{position.from}, *position.below, limit)
      .all(&read_listed_version);
}

// From a key on. Three indexes are read in step: objects, markers, and what is below them.
std::vector<ListedVersion> from_key(store::Tx& tx, const Bucket& bucket, const std::string& from, const std::string& end,
                             std::size_t limit) {
  return tx
      .query("SELECT " S3_VERSION_COLUMNS
             " FROM ("
             "SELECT * FROM (SELECT * FROM s3_objects WHERE bucket = $1 AND marker = 0 AND latest = 1"
             " AND key >= $2 AND key < $3 ORDER BY key LIMIT $4) AS objects"
             " UNION ALL SELECT * FROM (SELECT * FROM s3_objects WHERE bucket = $1 AND marker = 1 AND latest = 1"
             " AND key >= $2 AND key < $3 ORDER BY key LIMIT $4) AS markers"
             " UNION ALL SELECT * FROM (SELECT * FROM s3_objects WHERE bucket = $1 AND latest = 0"
             " AND key >= $2 AND key < $3 ORDER BY key, id DESC LIMIT $4) AS older"
             ") AS versions ORDER BY key, id DESC LIMIT $4",
             bucket.id, base::Blob{from}, base::Blob{end}, limit)
      .all(&read_listed_version);
}

std::vector<ListedVersion> fetch(store::Tx& tx, const Bucket& bucket, const Position& position, const std::string& end,
                          std::size_t limit) {
  if (!position.below) return from_key(tx, bucket, position.from, end, limit);
  std::vector<ListedVersion> rows = rest_of_key(tx, bucket, position, limit);
  if (rows.size() == limit) return rows;
  for (ListedVersion& row : from_key(tx, bucket, after_key(position.from), end, limit - rows.size())) {
    rows.push_back(std::move(row));
  }
  return rows;
}

// Where the page begins that goes on after a version.
Position start_of(Call& call, const Bucket& bucket, const Walk& walk, const shape::ListObjectVersionsRequest& request) {
  const std::string key = request.KeyMarker.value_or("");
  if (!request.VersionIdMarker) return walk.after_marker(key);
  const std::string& version = *request.VersionIdMarker;
  if (key.empty()) {
    throw invalid_argument("A version-id marker cannot be specified without a key marker.", "version-id-marker", version);
  }
  if (version.empty()) throw invalid_argument("A version-id marker cannot be empty.", "version-id-marker", version);
  std::optional<std::int64_t> below;
  if (version == "null") {
    if (auto object = load_version(call.tx, bucket, key, version)) below = object->id;
  } else if (auto numbered = parse_numbered(version)) {
    below = numbered->id;
  } else {
    throw invalid_argument("Invalid version id specified", "version-id-marker", version);
  }
  // In what is rolled up, or where nothing of it can be listed, the version says nothing.
  if (!below || !key.starts_with(walk.prefix) || !walk.common_prefix(key).empty()) return walk.after_marker(key);
  return {key, below};
}

void show(WalkPage<ListedVersion>& page, const ListText& text, const std::optional<shape::Owner>& owner,
          shape::ListObjectVersionsOutput& output) {
  for (WalkItem<ListedVersion>& item : page.items) {
    if (!item.row) {
      if (!output.CommonPrefixes) output.CommonPrefixes.emplace();
      output.CommonPrefixes->push_back({text(item.prefix)});
    } else if (item.row->marker) {
      if (!output.DeleteMarkers) output.DeleteMarkers.emplace();
      output.DeleteMarkers->push_back(
          {owner, text(item.row->key), item.row->version, item.row->latest, item.row->shown.LastModified});
    } else {
      shape::ObjectVersion version = std::move(item.row->shown);
      version.Key = text(item.row->key);
      version.VersionId = item.row->version;
      version.IsLatest = item.row->latest;
      version.Owner = owner;
      if (!output.Versions) output.Versions.emplace();
      output.Versions->push_back(std::move(version));
    }
  }
}

}  // namespace

shape::ListObjectVersionsOutput list_object_versions(Call& call, const shape::ListObjectVersionsRequest& request) {
  const ListText text(request.EncodingType);
  Walk walk = walk_of(request);
  const Bucket bucket =
      find_bucket(call, request.Bucket, list_ask("s3:ListBucketVersions", request), request.ExpectedBucketOwner);
  walk.start = start_of(call, bucket, walk, request);
  const std::string end = after_prefix(walk.prefix);
  WalkPage<ListedVersion> page = walk_keys<ListedVersion>(walk, [&](const Position& position, std::size_t limit) {
    return fetch(call.tx, bucket, position, end, limit);
  });
  shape::ListObjectVersionsOutput output{.IsTruncated = page.truncated,
                                         .KeyMarker = text(request.KeyMarker.value_or("")),
                                         .VersionIdMarker = request.VersionIdMarker.value_or(""),
                                         .Name = bucket.name,
                                         .Prefix = text(walk.prefix),
                                         .MaxKeys = static_cast<std::int32_t>(walk.most),
                                         .EncodingType = request.EncodingType};
  if (!walk.delimiter.empty()) output.Delimiter = text(walk.delimiter);
  if (page.truncated) {
    const WalkItem<ListedVersion>& last = page.items.back();
    output.NextKeyMarker = text(last.row ? last.row->key : last.prefix);
    if (last.row) output.NextVersionIdMarker = last.row->version;
  }
  show(page, text, owner_for(call.caller, bucket), output);
  return output;
}

std::vector<ObjectOperation> list_versions_operations() {
  return {
      operation<&list_object_versions>("ListObjectVersions", Access::Read, shape::kListObjectVersionsHttp),
  };
}

}  // namespace services::s3
