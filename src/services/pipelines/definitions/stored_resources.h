// SPDX-License-Identifier: Apache-2.0
// What a pipeline's row says of its resources, and from where their names are derived.
#pragma once

#include <boost/describe/class.hpp>
#include <set>
#include <string>
#include <vector>

#include "services/pipelines/definitions/desired.h"
#include "services/pipelines/pipeline_row.h"
#include "services/shape_json.h"
#include "shapes/stoker/pipeline.h"

namespace services::pipelines {

// Pipeline::resources_json.
struct StoredResources {
  std::vector<shapes::stoker::PipelineResource> resources;
};
BOOST_DESCRIBE_STRUCT(StoredResources, (), (resources))

using ResourceSet = std::set<shapes::stoker::PipelineResource>;

inline ResourceSet stored_resources(const Pipeline& pipeline) {
  const auto stored = from_json<StoredResources>(pipeline.resources_json);
  return {stored.resources.begin(), stored.resources.end()};
}

inline std::string resources_text(const ResourceSet& resources) {
  return to_json(StoredResources{{resources.begin(), resources.end()}});
}

inline Settings stored_settings(const Pipeline& pipeline) {
  return check_spec(from_json<shapes::stoker::PipelineSpec>(pipeline.spec_json));
}

inline Owner owner_of(const Pipeline& pipeline) { return {pipeline.account, pipeline.region}; }

}  // namespace services::pipelines
