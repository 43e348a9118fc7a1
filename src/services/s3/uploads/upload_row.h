// SPDX-License-Identifier: Apache-2.0
// A multipart upload, from its creation until it becomes an object or is aborted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/checksums.h"
#include "services/s3/objects/object_row.h"

namespace services::s3 {

struct OpenUpload {
  std::int64_t id = 0;
  std::int64_t bucket = 0;
  std::string key;
  std::int64_t tag = 0;
  base::Time initiated_at;
  std::string account;  // of the initiator
  std::optional<std::string> checksum_kind;  // nullopt: not stated, so the default algorithm is used
  std::string checksum_type;                 // of the object's checksum
  Headers headers;
  Tags tags;
  VersionLock lock;  // as stated
  std::string owner = {};  // account of the bucket

  std::string text() const { return row_id_text({id, tag}); }
  base::Checksum checksum() const { return checksum_kind ? s3::checksum_kind(*checksum_kind) : kDefaultChecksum; }
};

void insert_upload(Call& call, OpenUpload& upload);
// Throws NoSuchUpload.
OpenUpload find_upload(store::Tx& tx, const Bucket& bucket, const std::string& key, const std::string& text);

struct UploadedPart {
  std::int64_t number = 0;
  base::Time modified_at;
  std::int64_t size = 0;
  std::int64_t blob = 0;
  std::string etag;      // without quotes
  std::string checksum;  // base64, of the upload's algorithm
};
UploadedPart read_part(const store::Row& row);  // of kSelectParts
inline constexpr std::string_view kSelectParts = "SELECT number, modified_at, size, blob, etag, checksum FROM s3_parts";

// The part that a new one with its number replaces. Throws QuotaExceeded where there is no room for that one.
struct FormerPart {
  std::int64_t blob = 0, size = 0;
};
std::optional<FormerPart> make_room(Call& call, const OpenUpload& upload, std::int64_t number, std::int64_t size);
void put_part(Call& call, const OpenUpload& upload, const UploadedPart& part, const std::optional<FormerPart>& former);

// Throws for an invalid part number.
void check_part_number(std::int32_t number);

}  // namespace services::s3
