// SPDX-License-Identifier: Apache-2.0
// The subresources of buckets and objects whose operations Stoker does not support.
#pragma once

#include <string_view>
#include <vector>

namespace services::s3 {

// Some operations on them are supported: GetBucketWebsite is, PutBucketWebsite is not.
inline std::vector<std::string_view> unsupported_subresources() {
  return {"abac",
          "analytics",
          "encryption",  // of an object; a bucket's is supported
          "intelligent-tiering",
          "inventory",
          "metadataConfiguration",
          "metadataInventoryTable",
          "metadataJournalTable",
          "metadataTable",
          "metrics",
          "renameObject",
          "replication",
          "restore",
          "select",
          "session",
          "torrent",
          "website"};
}

}  // namespace services::s3
