// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/route.h"

#include <algorithm>

#include "base/bytes.h"

namespace doors::objects {
namespace {

using wire::ApiError;

std::string decoded(std::string_view text, bool plus_is_space) {
  auto result = base::percent_decode(text, plus_is_space);
  if (!result) throw ApiError("InvalidURI", "Couldn't parse the specified URI.", 400);
  return std::move(*result);
}

// Cuts the first part off `text`, up to `separator`, which goes too.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

bool is_query_member(const services::Operation& operation, std::string_view name) {
  if (!operation.wire.input) return false;
  const auto& fields = operation.wire.input->fields;
  return std::any_of(fields.begin(), fields.end(), [&](const wire::Field& field) {
    return field.traits->in == wire::In::Query && field.traits->at == name;
  });
}

ApiError not_implemented(const std::string& name) {
  return ApiError("NotImplemented",
                  "A header you provided implies functionality that is not implemented: ?" + name +
                      " is not part of Stoker.",
                  501)
      .with("Header", name);
}

std::string_view kind_of(int depth) { return depth == 0 ? "SERVICE" : depth == 1 ? "BUCKET" : "OBJECT"; }

}  // namespace

Place parse_place(std::string path) {
  Place place;
  place.path = std::move(path);
  std::string_view rest = place.path;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  place.bucket = decoded(take(rest, '/'), false);
  place.key = !rest.empty();
  if (place.key && place.bucket.empty()) {
    throw ApiError("InvalidBucketName", "The specified bucket is not valid.", 400).with("BucketName", "");
  }
  return place;
}

bool Routes::Row::takes(std::string_view name) const {
  return std::any_of(names.begin(), names.end(), [&](const Name& own) { return own.name == name; }) ||
         is_query_member(operation->plain, name);
}

Routes::Routes(const services::s3::ObjectTable& table) : table_(table) {
  for (const services::s3::ObjectOperation& operation : table.operations) {
    std::string_view query = operation.plain.wire.http.uri;
    const std::string_view path = take(query, '?');
    Row row{&operation, static_cast<int>(std::count(path.begin(), path.end(), '{')), {}};
    while (!query.empty()) {
      std::string_view value = take(query, '&');
      const std::string_view name = take(value, '=');
      row.names.push_back({name, value});
      // What is also a member, or has a value, is a parameter and says nothing of its own.
      const bool parameter = !value.empty() || is_query_member(operation.plain, name);
      if (!parameter) subresources_.push_back({row.depth, name});
    }
    rows_.push_back(std::move(row));
  }
}

Routes::Query Routes::parse(std::string_view query) {
  Query pairs;
  while (!query.empty()) {
    std::string_view value = take(query, '&');
    const std::string_view name = take(value, '=');
    if (!name.empty()) pairs.emplace_back(decoded(name, true), decoded(value, true));
  }
  return pairs;
}

bool Routes::has(const Query& query, const Name& name) {
  return std::any_of(query.begin(), query.end(), [&](const auto& pair) {
    return pair.first == name.name && (name.value.empty() || pair.second == name.value);
  });
}

const Routes::Row* Routes::best(const Place& place, const http::RequestHead& head,
                                        const Query& query) const {
  const Row* best = nullptr;
  std::size_t most = 0;
  for (const Row& row : rows_) {
    const wire::HttpBinding& http = row.operation->plain.wire.http;
    if (row.depth != place.depth() || http.method != head.method) continue;
    if (!http.header.empty() && !head.headers.find(http.header)) continue;
    if (!std::all_of(row.names.begin(), row.names.end(), [&](const Name& name) { return has(query, name); })) continue;
    const std::size_t specific = 1 + 2 * row.names.size() + (http.header.empty() ? 0 : 1);
    if (specific > most) best = &row;
    most = std::max(most, specific);
  }
  return best;
}

bool Routes::is_unsupported(std::string_view name) const {
  return std::find(table_.unsupported.begin(), table_.unsupported.end(), name) != table_.unsupported.end();
}

bool Routes::is_subresource(int depth, std::string_view name) const {
  return std::any_of(subresources_.begin(), subresources_.end(),
                     [&](const Subresource& one) { return one.depth == depth && one.name == name; });
}

ApiError Routes::not_allowed(const Place& place, const Query& query) const {
  std::string allowed;
  for (const Row& row : rows_) {
    const std::string_view method = row.operation->plain.wire.http.method;
    const bool fits = row.depth == place.depth() && std::all_of(row.names.begin(), row.names.end(), [&](const Name& n) {
      return has(query, n);
    });
    if (!fits || allowed.find(method) != allowed.npos) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(method);
  }
  ApiError error("MethodNotAllowed", "The specified method is not allowed against this resource.", 405);
  error.with("ResourceType", std::string(kind_of(place.depth())));
  if (!allowed.empty()) error.with_header("Allow", allowed);
  return error;
}

const services::s3::ObjectOperation& Routes::find(const Place& place, const http::RequestHead& head) const {
  const Query query = parse(head.query());
  const Row* row = best(place, head, query);
  // A request for something that we have not is never taken for one of the whole bucket or object.
  for (const auto& [name, value] : query) {
    if (row && row->takes(name)) continue;
    if (is_unsupported(name)) throw not_implemented(name);
    if (is_subresource(place.depth(), name)) throw not_allowed(place, query);
  }
  if (!row) throw not_allowed(place, query);
  return *row->operation;
}

}  // namespace doors::objects
