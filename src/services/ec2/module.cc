// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/module.h"

#include "shapes/ec2/errors.h"

namespace services::ec2 {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

Service make_service() {
  Service ec2;
  ec2.wire = {.name = "ec2", .api_version = "2016-11-15", .xml_namespace = "http://ec2.amazonaws.com/doc/2016-11-15/", .errors = shapes::ec2::kErrors};
  ec2.signing_name = "ec2";
  ec2.protocols = {wire::Protocol::Ec2};
  ec2.body_limit = kBodyLimit;
  return ec2;
}

}  // namespace

Module module(const Options&) {
  Module ec2;
  ec2.service = make_service();
  return ec2;
}

}  // namespace services::ec2
