// SPDX-License-Identifier: Apache-2.0
#include "cli/object_store.h"

#include <stdexcept>

#include "base/bytes.h"
#include "base/utf8.h"
#include "http/block_on.h"
#include "http/client.h"
#include "signing/sigv4.h"
#include "wire/error.h"
#include "wire/type_of.h"
#include "wire/xml.h"

namespace cli {
namespace {

constexpr base::Duration kTransferDeadline = std::chrono::hours(1);
constexpr base::Duration kIdleTransfer = std::chrono::seconds(60);

struct StoreError {
  std::string Code, Message;
};
BOOST_DESCRIBE_STRUCT(StoreError, (), (Code, Message))

std::string object_target(const std::string& bucket, const std::string& key) {
  return "/" + base::percent_encode(bucket) + "/" + base::percent_encode(key, true);
}

void check_reply(const http::Response& response) {
  if (response.status >= 200 && response.status < 300) return;
  StoreError error;
  try {
    wire::read_xml(wire::type_of<StoreError>(), response.body, &error);
  } catch (const wire::ApiError&) {
    error = {};  // a proxy's page, or an empty body
  }
  if (error.Code.empty()) throw std::runtime_error("the server responded with status " + std::to_string(response.status));
  throw std::runtime_error(error.Code + ": " + base::to_printable(error.Message));
}

}  // namespace

http::Request ObjectStore::signed_request(const std::string& method, const std::string& target, std::string body) const {
  http::Request request{{method, target, {{"Host", client::host_of(profile_.endpoint)}}}, std::move(body)};
  signing::sign(request, profile_.credentials, profile_.region, "s3", base::SystemClock().now());
  return request;
}

http::Response ObjectStore::send(const std::string& method, const std::string& target, std::string body) {
  http::Client client(io_, client::endpoint_of(profile_));
  http::Request request = signed_request(method, target, std::move(body));
  auto response = http::block_on(io_.at(0), client.send(std::move(request), kTransferDeadline));
  if (!response) throw std::runtime_error(profile_.endpoint + " does not respond: " + response.error());
  check_reply(*response);
  return std::move(*response);
}

std::vector<shapes::s3::Bucket> ObjectStore::buckets() {
  std::vector<shapes::s3::Bucket> buckets;
  std::string next;
  do {
    const std::string token = next.empty() ? "" : "&continuation-token=" + base::percent_encode(next);
    const http::Response response = send("GET", "/?max-buckets=1000" + token, "");
    shapes::s3::ListBucketsOutput page;
    wire::read_xml(wire::type_of<shapes::s3::ListBucketsOutput>(), response.body, &page);
    for (auto& bucket : page.Buckets.value_or(std::vector<shapes::s3::Bucket>())) buckets.push_back(std::move(bucket));
    next = page.ContinuationToken.value_or("");
  } while (!next.empty());
  return buckets;
}

ObjectListing ObjectStore::list(const std::string& bucket, const std::string& prefix, bool recursive) {
  ObjectListing listing;
  std::string next;
  do {
    std::string target = "/" + base::percent_encode(bucket) + "?list-type=2&prefix=" + base::percent_encode(prefix);
    if (!recursive) target += "&delimiter=%2F";
    if (!next.empty()) target += "&continuation-token=" + base::percent_encode(next);
    const http::Response response = send("GET", target, "");
    shapes::s3::ListObjectsV2Output page;
    wire::read_xml(wire::type_of<shapes::s3::ListObjectsV2Output>(), response.body, &page);
    for (auto& one : page.Contents.value_or(std::vector<shapes::s3::Object>())) listing.Contents.push_back(std::move(one));
    for (auto& one : page.CommonPrefixes.value_or(std::vector<shapes::s3::CommonPrefix>())) {
      listing.CommonPrefixes.push_back(std::move(one));
    }
    next = page.IsTruncated.value_or(false) ? page.NextContinuationToken.value_or("") : "";
  } while (!next.empty());
  return listing;
}

void ObjectStore::get(const std::string& bucket, const std::string& key, const std::function<void(std::string_view)>& piece) {
  http::Client client(io_, client::endpoint_of(profile_));
  http::Request request = signed_request("GET", object_target(bucket, key), "");
  http::BodySink sink = piece;
  auto response = http::block_on(io_.at(0), client.download(std::move(request), std::move(sink), kIdleTransfer));
  if (!response) throw std::runtime_error(profile_.endpoint + " does not respond: " + response.error());
  check_reply(*response);
}

void ObjectStore::put(const std::string& bucket, const std::string& key, std::string bytes) {
  send("PUT", object_target(bucket, key), std::move(bytes));
}

void ObjectStore::remove(const std::string& bucket, const std::string& key) {
  send("DELETE", object_target(bucket, key), "");
}

}  // namespace cli
