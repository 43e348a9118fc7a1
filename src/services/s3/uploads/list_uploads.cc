// SPDX-License-Identifier: Apache-2.0
// ListMultipartUploads: unfinished uploads by key, those of one key in the order of their creation.
#include "services/s3/uploads/list_uploads.h"

#include <algorithm>

#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/list_request.h"
#include "services/s3/operations.h"
#include "services/s3/page_number.h"
#include "services/s3/uploads/upload_row.h"
#include "services/s3/whole_seconds.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {
namespace {

struct ListedUpload {
  std::string key;
  RowId row_id;
  shape::MultipartUpload shown;  // without Key and Owner

  // `below` is the last listed upload of the key: the next one is younger.
  Position position_after() const { return {key, row_id.id}; }
};

ListedUpload read_listed_upload(const store::Row& row) {
  ListedUpload out{.key = row.str(0), .row_id = {row.integer(1), row.integer(2)}};
  out.shown.UploadId = row_id_text(out.row_id);
  out.shown.Initiated = whole_seconds(row.time(3));
  if (!row.text(4).empty()) out.shown.Initiator = initiator(row.str(4));
  out.shown.ChecksumAlgorithm = row.maybe_str(5);
  if (out.shown.ChecksumAlgorithm) out.shown.ChecksumType = row.str(6);
  out.shown.StorageClass = storage_class_of(row.text(7));
  return out;
}

WalkPage<ListedUpload> list_uploads_page(Call& call, const Bucket& bucket, const Walk& walk) {
  const std::string end = after_prefix(walk.prefix);
  return walk_keys<ListedUpload>(walk, [&](const Position& position, std::size_t limit) {
    return call.tx
        .query("SELECT key, id, tag, initiated_at, account, checksum_kind, checksum_type, headers FROM s3_uploads"
               " WHERE bucket = $1 AND (key, id) > ($2, $3) AND key < $4 ORDER BY key, id LIMIT $5",
               bucket.id, store::BlobView{position.from}, position.below.value_or(-1), store::BlobView{end}, limit)
        .all(&read_listed_upload);
  });
}

// An upload that ended since the last page is still a valid marker.
bool is_of_another_key(Call& call, const Bucket& bucket, const std::string& key, const RowId& upload) {
  const auto keys = call.tx.query("SELECT key FROM s3_uploads WHERE id = $1 AND tag = $2 AND bucket = $3", upload.id,
                                  upload.tag, bucket.id)
                        .all([](const store::Row& row) { return row.str(0); });
  return !keys.empty() && keys.front() != key;
}

// Of the marker's own key, only uploads after the upload marker; none without an upload marker.
Position start_of(Call& call, const Bucket& bucket, const Walk& walk,
                  const shape::ListMultipartUploadsRequest& request) {
  const std::string marker = request.KeyMarker.value_or("");
  Position after = walk.after_marker(marker);
  if (marker.empty() || !request.UploadIdMarker || request.UploadIdMarker->empty()) return after;
  auto row_id = parse_row_id(*request.UploadIdMarker);
  if (!row_id || is_of_another_key(call, bucket, marker, *row_id)) {
    throw invalid_argument("Invalid uploadId marker", "upload-id-marker", *request.UploadIdMarker);
  }
  return after.from == after_key(marker) ? Position{marker, row_id->id} : after;
}

// Amazon names the last upload, even of the last page, but no common prefix. A page that ends in a prefix could not
// be continued then, so here the prefix is named.
void show_next(const WalkPage<ListedUpload>& page, const ListText& text, shape::ListMultipartUploadsOutput& output) {
  if (page.items.empty()) return;
  const WalkItem<ListedUpload>& last = page.items.back();
  if (last.row) {
    output.NextKeyMarker = text(last.row->key);
    output.NextUploadIdMarker = last.row->shown.UploadId;
  } else if (page.truncated) {
    output.NextKeyMarker = text(last.prefix);
  }
}

}  // namespace

shape::Initiator initiator(const std::string& account) { return {.ID = canonical_id(account), .DisplayName = account}; }

shape::ListMultipartUploadsOutput list_multipart_uploads(Call& call,
                                                         const shape::ListMultipartUploadsRequest& request) {
  const ListText text(request.EncodingType);
  Walk walk{.prefix = request.Prefix.value_or(""),
            .delimiter = request.Delimiter.value_or(""),
            .start = {},
            .most = static_cast<std::size_t>(
                std::min(page_number(request.MaxUploads, kMaxPage, "max-uploads"), kMaxPage))};
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:ListBucketMultipartUploads"},
                                    request.ExpectedBucketOwner);
  walk.start = start_of(call, bucket, walk, request);
  WalkPage<ListedUpload> page = list_uploads_page(call, bucket, walk);

  shape::ListMultipartUploadsOutput output{.Bucket = bucket.name,
                                           .KeyMarker = text(request.KeyMarker.value_or("")),
                                           .UploadIdMarker = "",
                                           .NextKeyMarker = "",
                                           .NextUploadIdMarker = "",
                                           .MaxUploads = static_cast<std::int32_t>(walk.most),
                                           .IsTruncated = page.truncated,
                                           .EncodingType = request.EncodingType};
  // An upload marker needs a key marker.
  if (!output.KeyMarker->empty()) output.UploadIdMarker = request.UploadIdMarker.value_or("");
  if (!walk.prefix.empty()) output.Prefix = text(walk.prefix);
  if (!walk.delimiter.empty()) output.Delimiter = text(walk.delimiter);
  show_next(page, text, output);
  const std::optional<shape::Owner> owner = owner_for(call.caller, bucket);
  for (WalkItem<ListedUpload>& item : page.items) {
    if (!item.row) {
      if (!output.CommonPrefixes) output.CommonPrefixes.emplace();
      output.CommonPrefixes->push_back({text(item.prefix)});
      continue;
    }
    if (!output.Uploads) output.Uploads.emplace();
    item.row->shown.Key = text(item.row->key);
    item.row->shown.Owner = owner;
    if (!owner) item.row->shown.Initiator.reset();
    output.Uploads->push_back(std::move(item.row->shown));
  }
  return output;
}

std::vector<ObjectOperation> list_uploads_operations() {
  return {
      operation<&list_multipart_uploads>("ListMultipartUploads", Access::Read, shape::kListMultipartUploadsHttp),
  };
}

}  // namespace services::s3
