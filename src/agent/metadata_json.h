// SPDX-License-Identifier: Apache-2.0
// Tasks and containers in the shapes of Amazon's task metadata endpoint.
#pragma once

#include <boost/json/object.hpp>

#include "agent/metadata.h"

namespace agent {

boost::json::object container_json(const ContainerMetadata& container);
boost::json::object task_json(const TaskMetadata& task);
// As Docker's /containers/<id>/stats answers it. Only what is measured is there.
boost::json::object stats_json(const ContainerMetadata& container, const ContainerStats& stats);

}  // namespace agent
