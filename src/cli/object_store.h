// SPDX-License-Identifier: Apache-2.0
// Calls of S3, by path-style addresses. Each throws std::runtime_error with S3's error, or where the server does not
// respond. Lists are complete, not pages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "client/request.h"
#include "http/io_threads.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/object_list.h"

namespace cli {

struct ObjectListing {
  std::vector<shapes::s3::Object> Contents;
  std::vector<shapes::s3::CommonPrefix> CommonPrefixes;
};
BOOST_DESCRIBE_STRUCT(ObjectListing, (), (Contents, CommonPrefixes))

class ObjectStore {
 public:
  explicit ObjectStore(const client::Profile& profile) : profile_(profile) {}

  std::vector<shapes::s3::Bucket> buckets();
  // Not `recursive`: keys up to the next slash behind the prefix.
  ObjectListing list(const std::string& bucket, const std::string& prefix, bool recursive);
  void get(const std::string& bucket, const std::string& key, const std::function<void(std::string_view)>& piece);
  void put(const std::string& bucket, const std::string& key, std::string bytes);
  void remove(const std::string& bucket, const std::string& key);

 private:
  http::Request signed_request(const std::string& method, const std::string& target, std::string body) const;
  http::Response send(const std::string& method, const std::string& target, std::string body);

  client::Profile profile_;
  http::IoThreads io_{1};
};

}  // namespace cli
