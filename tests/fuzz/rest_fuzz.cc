// SPDX-License-Identifier: Apache-2.0
// Any head matches one operation or is rejected, and the matched operation agrees with the head.
#include <cstddef>
#include <cstdint>
#include <string>

#include "doors/objects/checksum_headers.h"
#include "doors/objects/request_body.h"
#include "doors/objects/route.h"
#include "doors/objects/virtual_host.h"
#include "base/check.h"
#include "services/s3/module.h"

namespace {

std::string take_line(std::string& rest) {
  std::size_t end = rest.find('\n');
  std::string line = rest.substr(0, end);
  rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
  return line;
}

void route(const http::RequestHead& head, const std::optional<std::string>& bucket) {
  static const services::s3::ObjectTable table = services::s3::object_table();
  static const doors::objects::Routes routes(table);
  const std::string prefix = bucket ? "/" + *bucket : "";
  try {
    const doors::objects::Place place = doors::objects::parse_place(prefix + std::string(head.path()));
    const services::Operation& operation = routes.find(place, head).plain;
    CHECK(operation.wire.http.method == head.method) << "another method's operation";
    CHECK((place.depth() == 2) == (operation.wire.http.uri.find("{Key+}") != std::string_view::npos))
        << "an operation for another kind of path";
  } catch (const wire::ApiError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string rest(reinterpret_cast<const char*>(data), size);
  http::RequestHead head;
  head.method = take_line(rest);
  head.target = take_line(rest);
  const std::string host = take_line(rest);
  head.headers.add("Host", host);
  while (!rest.empty()) {
    std::string name = take_line(rest);
    head.headers.add(std::move(name), take_line(rest));
  }
  const auto bucket = doors::objects::bucket_of_host(host, {"example.com", "s3.lan"});
  CHECK(!bucket || (!bucket->empty() && host.size() > bucket->size())) << "a bucket that is not in its host";
  route(head, bucket);
  const base::Headers kept = doors::objects::without_aws_chunked(head.headers);
  CHECK(kept.size() <= head.headers.size()) << "a header that nobody sent";
  CHECK(doors::objects::without_aws_chunked(kept).size() == kept.size()) << "a coding that was left over";
  try {
    doors::objects::check_digests(head.headers, true, "hello");
  } catch (const wire::ApiError&) {
  }
  return 0;
}
