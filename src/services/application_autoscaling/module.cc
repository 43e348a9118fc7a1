// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/module.h"

#include "shapes/application_autoscaling/errors.h"

namespace services::application_autoscaling {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

Service make_service() {
  Service scaling;
  scaling.wire = {.name = "application-autoscaling",
                  .target_prefix = "AnyScaleFrontendService",
                  .api_version = "2016-02-06",
                  .errors = shapes::application_autoscaling::kErrors};
  scaling.signing_name = "application-autoscaling";
  scaling.protocols = {wire::Protocol::Json11};
  scaling.body_limit = kBodyLimit;
  return scaling;
}

}  // namespace

Module module(const Options&) {
  Module scaling;
  scaling.service = make_service();
  return scaling;
}

}  // namespace services::application_autoscaling
