// SPDX-License-Identifier: Apache-2.0
// Operations on the tags of clusters, task definitions, container instances, tasks and services.
#pragma once

#include "services/call.h"
#include "shapes/ecs/tag.h"

namespace services::ecs {

using namespace shapes::ecs;

TagResourceResponse tag_resource(Call& call, const TagResourceRequest& request);
UntagResourceResponse untag_resource(Call& call, const UntagResourceRequest& request);
ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request);

}  // namespace services::ecs
