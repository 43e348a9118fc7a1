// SPDX-License-Identifier: Apache-2.0
// The two ways to list a bucket's objects, page by page. A page ends at a key or a prefix and the
// next begins after it, whatever was written or deleted meanwhile.
#include "services/s3/objects/list_objects.h"

#include "services/s3/errors.h"
#include "services/s3/key_text.h"
#include "services/s3/key_walk.h"
#include "services/s3/list_request.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/operations.h"
#include "services/s3/whole_seconds.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {
namespace {

struct Listed {
  std::string key;
  shape::Object shown;  // all of it but Key and Owner

  Position position_after() const { return {after_key(key), std::nullopt}; }
};

Listed read_listed(const store::Row& row) {
  Listed out{.key = row.str(0)};
  out.shown.LastModified = whole_seconds(row.time(1));
  out.shown.ETag = '"' + row.str(2) + '"';
  out.shown.Size = row.integer(3);
  if (!row.is_null(4)) {
    out.shown.ChecksumAlgorithm = {row.str(4)};
    out.shown.ChecksumType = row.str(5);
  }
  out.shown.StorageClass = storage_class_of(row.text(6));
  return out;
}

WalkPage<Listed> list(Call& call, const Bucket& bucket, const Walk& walk) {
  const std::string end = after_prefix(walk.prefix);
  return walk_keys<Listed>(walk, [&](const Position& position, std::size_t limit) {
    return call.tx
        .query("SELECT key, modified_at, etag, size, checksum_kind, checksum_type, headers FROM s3_objects"
               " WHERE bucket = $1 AND marker = 0 AND latest = 1 AND key >= $2 AND key < $3 ORDER BY key LIMIT $4",
               bucket.id, base::Blob{position.from}, base::Blob{end}, limit)
        .all(&read_listed);
  });
}

// Fills Contents and CommonPrefixes, which both answers have.
template <class Output>
void show(WalkPage<Listed>& page, const ListText& text, const std::optional<shape::Owner>& owner, Output& output) {
  std::vector<shape::Object> contents;
  std::vector<shape::CommonPrefix> prefixes;
  for (WalkItem<Listed>& item : page.items) {
    if (!item.row) {
      prefixes.push_back({text(item.prefix)});
      continue;
    }
    shape::Object& object = item.row->shown;
    object.Key = text(item.row->key);
    object.Owner = owner;
    contents.push_back(std::move(object));
  }
  output.IsTruncated = page.truncated;
  if (!contents.empty()) output.Contents = std::move(contents);
  if (!prefixes.empty()) output.CommonPrefixes = std::move(prefixes);
}

// The key or the prefix that the page ends with.
const std::string& end_of(const WalkPage<Listed>& page) {
  const WalkItem<Listed>& last = page.items.back();
  return last.row ? last.row->key : last.prefix;
}

}  // namespace

shape::ListObjectsOutput list_objects(Call& call, const shape::ListObjectsRequest& request) {
  const ListText text(request.EncodingType);
  Walk walk = walk_of(request);
  const Bucket bucket = find_bucket(call, request.Bucket, list_ask("s3:ListBucket", request), request.ExpectedBucketOwner);
  walk.start = walk.after_marker(request.Marker.value_or(""));
  WalkPage<Listed> page = list(call, bucket, walk);
  shape::ListObjectsOutput output{.Marker = text(request.Marker.value_or("")),
                                  .Name = bucket.name,
                                  .Prefix = text(walk.prefix),
                                  .MaxKeys = static_cast<std::int32_t>(walk.most),
                                  .EncodingType = request.EncodingType,
                                  .BucketRegion = bucket.region};
  if (!walk.delimiter.empty()) {
    output.Delimiter = text(walk.delimiter);
    if (page.truncated) output.NextMarker = text(end_of(page));
  }
  show(page, text, owner_for(call.caller, bucket), output);
  return output;
}

shape::ListObjectsV2Output list_objects_v2(Call& call, const shape::ListObjectsV2Request& request) {
  const ListText text(request.EncodingType);
  Walk walk = walk_of(request);
  const Bucket bucket = find_bucket(call, request.Bucket, list_ask("s3:ListBucket", request), request.ExpectedBucketOwner);
  std::string after = request.StartAfter.value_or("");
  if (request.ContinuationToken) after = parse_page_token(*request.ContinuationToken);
  walk.start = walk.after_marker(after);
  WalkPage<Listed> page = list(call, bucket, walk);
  shape::ListObjectsV2Output output{.Name = bucket.name,
                                    .Prefix = text(walk.prefix),
                                    .MaxKeys = static_cast<std::int32_t>(walk.most),
                                    .EncodingType = request.EncodingType,
                                    .KeyCount = static_cast<std::int32_t>(page.items.size()),
                                    .ContinuationToken = request.ContinuationToken,
                                    .BucketRegion = bucket.region};
  if (!walk.delimiter.empty()) output.Delimiter = text(walk.delimiter);
  // A token says more than a key to start after, which Amazon then does not repeat.
  if (request.StartAfter && !request.ContinuationToken) output.StartAfter = text(*request.StartAfter);
  if (page.truncated) output.NextContinuationToken = page_token(end_of(page));
  std::optional<shape::Owner> owner;
  if (request.FetchOwner.value_or(false)) owner = owner_for(call.caller, bucket);
  show(page, text, owner, output);
  return output;
}

std::vector<ObjectOperation> list_objects_operations() {
  return {
      operation<&list_objects>("ListObjects", Access::Read, shape::kListObjectsHttp),
      operation<&list_objects_v2>("ListObjectsV2", Access::Read, shape::kListObjectsV2Http),
  };
}

}  // namespace services::s3
