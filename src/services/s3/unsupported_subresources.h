// SPDX-License-Identifier: Apache-2.0
// The subresources of buckets and objects for which Amazon has operations that Stoker has not.
#pragma once

#include <string_view>
#include <vector>

namespace services::s3 {

// Some of them are also the names of operations that are here: website can be asked for, not set.
inline std::vector<std::string_view> unsupported_subresources() {
  return {"abac",
          "accelerate",
          "analytics",
          "encryption",  // of an object; a bucket's is here
          "intelligent-tiering",
          "inventory",
          "logging",
          "metadataConfiguration",
          "metadataInventoryTable",
          "metadataJournalTable",
          "metadataTable",
          "metrics",
          "object-lock",
          "renameObject",
          "replication",
          "requestPayment",
          "restore",
          "select",
          "session",
          "torrent",
          "website"};
}

}  // namespace services::s3
