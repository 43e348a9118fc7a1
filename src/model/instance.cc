// SPDX-License-Identifier: Apache-2.0
#include "model/instance.h"

#include <array>

namespace model {
namespace {

constexpr std::array<std::string_view, 6> kTexts = {"REGISTERING", "REGISTRATION_FAILED", "ACTIVE",
                                                    "DRAINING",    "DEREGISTERING",       "INACTIVE"};

}  // namespace

std::string_view text(InstanceStatus status) { return kTexts[static_cast<std::size_t>(status)]; }

std::optional<InstanceStatus> instance_status(std::string_view text) {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<InstanceStatus>(i);
  }
  return std::nullopt;
}

bool may_become(InstanceStatus from, InstanceStatus to) {
  using enum InstanceStatus;
  switch (from) {
    case Registering: return to == Active || to == RegistrationFailed || to == Deregistering || to == Inactive;
    case RegistrationFailed: return to == Deregistering || to == Inactive;
    case Active: return to == Draining || to == Deregistering || to == Inactive;
    case Draining: return to == Active || to == Deregistering || to == Inactive;
    case Deregistering: return to == Inactive;
    case Inactive: return false;
  }
  return false;
}

}  // namespace model
