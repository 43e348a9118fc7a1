// SPDX-License-Identifier: Apache-2.0
// Lists of records: by id, by filter, page by page, with their tags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/resource_tags.h"

namespace services::ec2 {

template <class Shape>
struct ListRules {
  std::string_view kind;
  std::optional<std::string> Shape::*id;
  const char *not_found, *noun;  // "InvalidVpcID.NotFound", "vpc ID"
  std::span<const std::string_view> filters;
  std::vector<std::string> (*values)(const Shape&, std::string_view filter);
  bool shows_no_tags = false;  // the empty list where there are none, as Amazon for some kinds
};

// What a request of this form names.
struct ListRequest {
  const std::optional<std::vector<std::string>>& ids;
  const Filters& filters;
  const std::optional<bool>& dry_run;
};

// Those of `all` that the request names, with their tags.
template <class Shape>
std::vector<Shape> select_records(Call& call, std::vector<Shape> all, const ListRules<Shape>& rules,
                                  const ListRequest& request) {
  check_filters(request.filters, rules.filters);
  const auto has = [&](const std::string& id) {
    return std::any_of(all.begin(), all.end(), [&](const Shape& one) { return one.*(rules.id) == id; });
  };
  if (request.ids) {
    for (const std::string& id : *request.ids) {
      if (!has(id)) throw id_not_found(rules.not_found, rules.noun, id);
    }
  }
  check_dry_run(request.dry_run);
  auto tags = tags_of_type(call, rules.kind);
  std::erase_if(all, [&](const Shape& one) {
    const std::string id = *(one.*(rules.id));
    const bool named = !request.ids || std::find(request.ids->begin(), request.ids->end(), id) != request.ids->end();
    return !named || !passes(request.filters, tags[id], [&](std::string_view name) { return rules.values(one, name); });
  });
  for (Shape& one : all) {
    const Tags& own = tags[*(one.*(rules.id))];
    if (!own.empty() || rules.shows_no_tags) one.Tags = shown_tags(own);
  }
  return all;
}

}  // namespace services::ec2
