// SPDX-License-Identifier: Apache-2.0
// An object: a row for each version, its bytes in blobs that several may share.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/blobs.h"
#include "services/s3/buckets/bucket_row.h"
#include "services/s3/objects/version_lock.h"

namespace services::s3 {

// The headers that an object was written with and is read with. The column `headers`, by services::to_json.
struct Headers {
  std::optional<std::string> CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType, Expires,
      WebsiteRedirectLocation, StorageClass;
  std::optional<std::map<std::string, std::string>> Metadata;  // keys in lower case
  bool operator==(const Headers&) const = default;
};
BOOST_DESCRIBE_STRUCT(Headers, (), (CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType,
                                    Expires, WebsiteRedirectLocation, StorageClass, Metadata))

using Tags = std::map<std::string, std::string>;

struct StoredChecksum {
  std::string kind;   // "CRC64NVME"
  std::string type;   // "FULL_OBJECT", "COMPOSITE"
  std::string value;  // base64; composite ones end in "-N"
};

// One version of an object.
struct Object {
  std::int64_t id = 0;
  std::int64_t bucket = 0;
  std::string key;
  std::optional<std::int64_t> tag;  // nullopt: the version "null"
  bool latest = true, marker = false;
  base::Time modified_at;
  std::int64_t size = 0;
  std::string etag;                    // without quotes
  std::optional<std::int64_t> blob;    // nullopt for objects in parts and for markers
  std::int64_t parts = 0;              // 0: uploaded in one piece
  std::optional<std::int64_t> upload;  // the multipart upload that it was made of
  std::optional<StoredChecksum> checksum;
  Headers headers;
  Tags tags;
  VersionLock lock;

  // "null", or 32 characters.
  std::string version() const;
  std::string quoted_etag() const { return '"' + etag + '"'; }
};

// Greater than all existing ids, and growing with time: also the sequencer of events.
std::int64_t next_object_id(store::Tx& tx, base::Time now);

// The id of a version or an upload, as clients see it: a row number and a random tag in hexadecimal. Parsing returns
// nullopt for other texts.
struct RowId {
  std::int64_t id = 0, tag = 0;
};
std::string row_id_text(RowId row_id);
std::optional<RowId> parse_row_id(std::string_view text);
std::int64_t random_tag();

// The latest version, which may be a delete marker.
std::optional<Object> load_latest(store::Tx& tx, const Bucket& bucket, std::string_view key);
// `version`: as Object::version() writes it.
std::optional<Object> load_version(store::Tx& tx, const Bucket& bucket, std::string_view key, std::string_view version);

// What a write needs to know of the latest version.
struct LatestSummary {
  std::int64_t id = 0;
  bool null = false;  // the version "null"
  bool marker = false;
  std::string etag;
  base::Time modified_at;
  std::int64_t size = 0;
};
std::optional<LatestSummary> load_latest_summary(store::Tx& tx, const Bucket& bucket, std::string_view key);

// Inserts a new latest version: above the present one, or in place of the version "null", as the bucket's versioning
// demands. Sets the object's bucket, id, tag and latest.
void put_version(Call& call, const Bucket& bucket, const std::optional<LatestSummary>& standing, Object& object);

// What a DeleteObject without a version does: it deletes the object, or creates a delete marker.
struct Deleted {
  bool existed = false;              // there was an object
  std::optional<Object> marker;      // the new delete marker
  std::optional<Object> removed;     // the version that was deleted permanently
};
// Throws QuotaExceeded where the account's quota has no room for a marker and there was no object: deleting one never needs
// room.
Deleted delete_latest(Call& call, const Bucket& bucket, const std::string& key);
// Deletes a version permanently, and makes the next one the latest.
void delete_version(Call& call, const Bucket& bucket, const Object& object);

// Stores the object's lock.
void set_lock(store::Tx& tx, const Object& object);
// The column `object_lock`.
std::optional<std::string> lock_text(const VersionLock& lock);

// Deletes an unfinished upload and its parts.
void delete_upload(Call& call, const Bucket& bucket, std::int64_t upload);

}  // namespace services::s3
