// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/reconciliation.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "wire/error.h"

namespace services::pipelines {

void claim(Reconciliation& work, const std::string& resource, const std::string& name, bool exists) {
  if (exists && !work.owns(resource, name)) {
    throw wire::ApiError("ConflictException",
                         fmt::format("The {} '{}' exists already and does not belong to the pipeline {}. Nothing was "
                                     "changed. Choose another name for the pipeline, or delete that {}.",
                                     resource, name, work.pipeline, resource));
  }
  work.present.insert({resource, name});
}

bool Comparison::text(const char* field, const std::string& before, const std::string& after) {
  if (before == after) return false;
  work_.changes.push_back({.action = "change",
                           .resource = resource_,
                           .name = name_,
                           .field = field,
                           .before = before,
                           .after = after});
  differs_ = true;
  return true;
}

bool Comparison::json(const char* field, const std::string& before, const std::string& after) {
  boost::system::error_code bad_before, bad_after;
  const auto one = boost::json::parse(before, bad_before), other = boost::json::parse(after, bad_after);
  if (!bad_before && !bad_after && one == other) return false;
  return text(field, before, after);
}

}  // namespace services::pipelines
