// SPDX-License-Identifier: Apache-2.0
// Tasks and containers in the JSON of Amazon's task metadata endpoint.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>

#include "agent/metadata/registry.h"
#include "http/message.h"

namespace agent {

inline constexpr std::int64_t kNanosPerMilli = 1'000'000;

http::Response json_response(int status, const boost::json::value& body);

boost::json::object container_json(const ContainerMetadata& container);
boost::json::object task_json(const TaskMetadata& task);
// Like the response of Docker's /containers/<id>/stats, without the members that are not measured.
boost::json::object stats_json(const ContainerMetadata& container, const ContainerStats& stats);

}  // namespace agent
