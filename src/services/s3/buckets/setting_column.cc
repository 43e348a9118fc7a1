// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/setting_column.h"

namespace services::s3 {

std::optional<std::string> read_setting(store::Tx& tx, const Bucket& bucket, std::string_view column) {
  const std::string sql = "SELECT " + std::string(column) + " FROM s3_buckets WHERE id = $1";
  return tx.query(sql, bucket.id).one([](const store::Row& row) { return row.maybe_str(0); }).value_or(std::nullopt);
}

void write_setting(store::Tx& tx, const Bucket& bucket, std::string_view column,
                   const std::optional<std::string>& text) {
  const std::string sql = "UPDATE s3_buckets SET " + std::string(column) + " = $2 WHERE id = $1";
  tx.exec(sql, bucket.id, text);
}

wire::ApiError not_set(std::string code, std::string message, const Bucket& bucket) {
  return wire::ApiError(std::move(code), std::move(message), 404).with("BucketName", bucket.name);
}

}  // namespace services::s3
