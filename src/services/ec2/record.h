// SPDX-License-Identifier: Apache-2.0
// Resources that EC2 only stores and shows: networks and key pairs. All are rows of one table, as JSON of their shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/shape_json.h"

namespace services::ec2 {

// A kind is also the type of resource in tags.
struct Record {
  std::string kind, id, body;
};

// Of the caller's account and region, with the default network (network/default_network.h) while nobody has
// changed it.
std::vector<Record> list_record_rows(Call& call, std::string_view kind);
std::optional<Record> find_record_row(Call& call, std::string_view kind, const std::string& id);
void put_record_row(Call& call, const Record& record);
// With its tags.
void delete_record(Call& call, std::string_view kind, const std::string& id);

template <class Shape>
std::optional<Shape> find_record(Call& call, std::string_view kind, const std::string& id) {
  const auto row = find_record_row(call, kind, id);
  return row ? std::optional(from_json<Shape>(row->body)) : std::nullopt;
}

template <class Shape>
std::vector<Shape> list_records(Call& call, std::string_view kind) {
  std::vector<Shape> records;
  for (const Record& row : list_record_rows(call, kind)) records.push_back(from_json<Shape>(row.body));
  return records;
}

template <class Shape>
void put_record(Call& call, std::string_view kind, const std::string& id, const Shape& shape) {
  put_record_row(call, {std::string(kind), id, to_json(shape)});
}

}  // namespace services::ec2
