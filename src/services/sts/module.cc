// SPDX-License-Identifier: Apache-2.0
#include "services/sts/module.h"

#include "services/sts/sessions.h"
#include "shapes/sts/errors.h"
#include "state/keys.h"

namespace services::sts {
namespace {

constexpr std::size_t kBodyLimit = 64u << 10;
constexpr auto kKeySweepEvery = std::chrono::minutes(10);

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return wire::ApiError("ValidationError", wire::validation_message(violations));
}

Service make_service() {
  Service sts;
  sts.wire = {.name = "sts",
              .api_version = "2011-06-15",
              .xml_namespace = "https://sts.amazonaws.com/doc/2011-06-15/",
              .errors = shapes::sts::kErrors};
  sts.signing_name = "sts";
  sts.protocols = {wire::Protocol::Query};
  sts.body_limit = kBodyLimit;
  sts.operations = session_operations();
  sts.violation_error = &violation_error;
  return sts;
}

// Session keys expire, and those with which machines joined and did not register. Nothing wakes this topic: that a key
// stays for some minutes more does no harm.
Decision look_for_expired_keys(Call& call) {
  Decision decision;
  decision.next = call.now + kKeySweepEvery;
  if (state::has_expired_keys(call.tx, call.now)) {
    decision.apply = [](Call& write) {
      for (const std::string& id : state::end_unregistered_keys(write.tx, write.now)) write.wake(state::key_topic(id));
      state::delete_expired_keys(write.tx, write.now);
    };
  }
  return decision;
}

}  // namespace

Module module(const Options&) {
  Module sts;
  sts.service = make_service();
  sts.migrations = state::key_migrations();
  sts.loops = {{"key sweep", "keys/sweep", &look_for_expired_keys}};
  return sts;
}

}  // namespace services::sts
