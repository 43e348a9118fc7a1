// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/module.h"

#include "shapes/autoscaling/errors.h"

namespace services::autoscaling {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

Service make_service() {
  Service autoscaling;
  autoscaling.wire = {.name = "autoscaling", .api_version = "2011-01-01", .xml_namespace = "http://autoscaling.amazonaws.com/doc/2011-01-01/", .errors = shapes::autoscaling::kErrors};
  autoscaling.signing_name = "autoscaling";
  autoscaling.protocols = {wire::Protocol::Query};
  autoscaling.body_limit = kBodyLimit;
  return autoscaling;
}

}  // namespace

Module module(const Options&) {
  Module autoscaling;
  autoscaling.service = make_service();
  return autoscaling;
}

}  // namespace services::autoscaling
