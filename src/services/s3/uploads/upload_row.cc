// SPDX-License-Identifier: Apache-2.0
#include "services/s3/uploads/upload_row.h"

#include <algorithm>

#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/quota.h"
#include "services/shape_json.h"

namespace services::s3 {

void insert_upload(Call& call, OpenUpload& upload) {
  upload.tag = random_tag();
  // Grows with time like an object's id, so that uploads of one key are listed in the order of their creation.
  const std::int64_t newest = call.tx.query("SELECT max(id) FROM s3_uploads").integer();
  upload.id = std::max(next_object_id(call.tx, call.now), newest + 1);
  call.tx.exec("INSERT INTO s3_uploads (id, bucket, key, tag, initiated_at, account, checksum_kind, checksum_type,"
               " headers, tags, object_lock) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
               upload.id, upload.bucket, store::BlobView{upload.key}, upload.tag, upload.initiated_at,
               upload.account, upload.checksum_kind, upload.checksum_type, to_json(upload.headers),
               upload.tags.empty() ? "" : to_json(upload.tags), lock_text(upload.lock));
  add_usage(call.tx, upload.owner, {.objects = 1});
}

OpenUpload find_upload(store::Tx& tx, const Bucket& bucket, const std::string& key, const std::string& text) {
  auto row_id = parse_row_id(text);
  if (!row_id) throw no_such_upload(text);
  auto found =
      tx.query("SELECT id, bucket, key, tag, initiated_at, account, checksum_kind, checksum_type, headers, tags, object_lock"
               " FROM s3_uploads WHERE id = $1 AND tag = $2 AND bucket = $3 AND key = $4",
               row_id->id, row_id->tag, bucket.id, store::BlobView{key})
          .one([](const store::Row& row) {
            OpenUpload upload{row.integer(0), row.integer(1),   row.str(2), row.integer(3),
                              row.time(4),    row.str(5),       row.maybe_str(6), row.str(7),
                              from_json<Headers>(row.text(8)), {}, {}};
            if (!row.text(9).empty()) upload.tags = from_json<Tags>(row.text(9));
            if (!row.is_null(10)) upload.lock = from_json<VersionLock>(row.text(10));
            return upload;
          });
  if (!found) throw no_such_upload(text);
  found->owner = bucket.account;
  return std::move(*found);
}

UploadedPart read_part(const store::Row& row) {
  return {row.integer(0), row.time(1), row.integer(2), row.integer(3), row.str(4), row.str(5)};
}

std::optional<FormerPart> make_room(Call& call, const OpenUpload& upload, std::int64_t number, std::int64_t size) {
  auto former = call.tx.query("SELECT blob, size FROM s3_parts WHERE upload = $1 AND number = $2", upload.id, number)
                    .one([](const store::Row& row) { return FormerPart{row.integer(0), row.integer(1)}; });
  check_quota(call, upload.owner, {.bytes = size - (former ? former->size : 0), .objects = former ? 0 : 1});
  return former;
}

void put_part(Call& call, const OpenUpload& upload, const UploadedPart& part, const std::optional<FormerPart>& former) {
  if (former) release_blob(call, former->blob);
  add_usage(call.tx, upload.owner, {.bytes = part.size - (former ? former->size : 0), .objects = former ? 0 : 1});
  call.tx.exec("INSERT INTO s3_parts (upload, number, modified_at, size, blob, etag, checksum)"
               " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (upload, number) DO UPDATE SET"
               " modified_at = excluded.modified_at, size = excluded.size, blob = excluded.blob, etag = excluded.etag,"
               " checksum = excluded.checksum",
               upload.id, part.number, part.modified_at, part.size, part.blob, part.etag, part.checksum);
}

void check_part_number(std::int32_t number) {
  if (number >= 1 && number <= kMaxPartNumber) return;
  throw invalid_argument("Part number must be an integer between 1 and 10000, inclusive", "partNumber",
                         std::to_string(number));
}

}  // namespace services::s3
