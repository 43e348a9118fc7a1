// SPDX-License-Identifier: Apache-2.0
// The operation of a REST request: by its method, by whether its path names a bucket or a key, by the
// names in its query, and by the header that tells a copy from a write.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "services/s3/object_operation.h"

namespace doors::objects {

// What a request is about. Keys are bytes: nothing in them is normalised.
struct Place {
  std::string path;    // "/bucket/key", as it came, also where the bucket was in the host
  std::string bucket;  // decoded; "" for the service itself
  bool key = false;    // names an object

  int depth() const { return key ? 2 : bucket.empty() ? 0 : 1; }
};

// Throws ApiError for a path that names none of these.
Place parse_place(std::string path);

class Routes {
 public:
  // `table` outlives it.
  explicit Routes(const services::s3::ObjectTable& table);

  // The most specific one. Throws ApiError: NotImplemented for a subresource that Amazon has,
  // MethodNotAllowed where nothing fits.
  const services::s3::ObjectOperation& find(const Place& place, const http::RequestHead& head) const;

 private:
  struct Name {
    std::string_view name, value;  // "list-type=2"; any value where it is ""
  };
  struct Row {
    const services::s3::ObjectOperation* operation;
    int depth;
    std::vector<Name> names;

    bool takes(std::string_view name) const;
  };
  struct Subresource {
    int depth;
    std::string_view name;
  };
  using Query = std::vector<std::pair<std::string, std::string>>;

  static Query parse(std::string_view query);
  static bool has(const Query& query, const Name& name);
  const Row* best(const Place& place, const http::RequestHead& head, const Query& query) const;
  bool is_unsupported(std::string_view name) const;
  bool is_subresource(int depth, std::string_view name) const;
  wire::ApiError not_allowed(const Place& place, const Query& query) const;

  const services::s3::ObjectTable& table_;
  std::vector<Row> rows_;
  std::vector<Subresource> subresources_;  // that some operation of ours is about
};

}  // namespace doors::objects
