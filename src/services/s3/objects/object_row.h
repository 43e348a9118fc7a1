// SPDX-License-Identifier: Apache-2.0
// An object: a row for each of its versions, its bytes in blobs that several may share.
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

namespace services::s3 {

// What was said of an object when it was written, and is said again when it is read. The column
// `headers`, by services::to_json.
struct Headers {
  std::optional<std::string> CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType, Expires,
      WebsiteRedirectLocation, StorageClass;
  std::optional<std::map<std::string, std::string>> Metadata;  // keys in small letters
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

// One version.
struct Object {
  std::int64_t id = 0;
  std::int64_t bucket = 0;
  std::string key;
  std::optional<std::int64_t> tag;  // nullopt: the version "null"
  bool latest = true, marker = false;
  base::Time modified_at;
  std::int64_t size = 0;
  std::string etag;                    // without quotes
  std::optional<std::int64_t> blob;    // nullopt: in parts, or a marker
  std::int64_t parts = 0;              // 0: came in one
  std::optional<std::int64_t> upload;  // that it was made of
  std::optional<StoredChecksum> checksum;
  Headers headers;
  Tags tags;

  // "null", or 32 characters.
  std::string version() const;
  std::string quoted_etag() const { return '"' + etag + '"'; }
};

// Larger than any there is, and growing with time: also the sequencer of events.
std::int64_t next_object_id(store::Tx& tx, base::Time now);

// The row number and tag that such a text was made of; nullopt for what none was.
struct Numbered {
  std::int64_t id = 0, tag = 0;
};
std::string numbered_text(Numbered numbered);
std::optional<Numbered> parse_numbered(std::string_view text);
std::int64_t random_tag();

// The latest version, which may be a delete marker.
std::optional<Object> load_latest(store::Tx& tx, const Bucket& bucket, std::string_view key);
// `version`: as version() writes it.
std::optional<Object> load_version(store::Tx& tx, const Bucket& bucket, std::string_view key, std::string_view version);

// What a write needs to know of the latest version, before it puts another in front.
struct Standing {
  std::int64_t id = 0;
  bool null = false;  // the version "null"
  bool marker = false;
  std::string etag;
  base::Time modified_at;
};
std::optional<Standing> load_standing(store::Tx& tx, const Bucket& bucket, std::string_view key);

// Puts a new latest version in front of what stands there, by the bucket's versioning: on top of it,
// or in the place of the one that is "null". Its bucket, id, tag and latest are set here.
void put_version(Call& call, const Bucket& bucket, const std::optional<Standing>& standing, Object& object);

// What a DeleteObject without a version does: nothing is left of it, or a marker on top.
struct Deleted {
  bool existed = false;              // something was taken away
  std::optional<Object> marker;      // the delete marker that was made
  std::optional<Object> removed;     // the version that was taken away for good
};
Deleted delete_latest(Call& call, const Bucket& bucket, const std::string& key);
// Takes one version away for good, and makes the next one the latest.
void delete_version(Call& call, const Bucket& bucket, const Object& object);

// An upload that nobody finished, with its parts.
void delete_upload(Call& call, std::int64_t upload);

}  // namespace services::s3
