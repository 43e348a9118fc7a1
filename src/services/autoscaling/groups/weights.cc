// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/weights.h"

#include <charconv>

namespace services::autoscaling {

std::optional<std::int32_t> parse_weight(const std::string& text) {
  std::int32_t weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() || weight < 1 || weight > 999) return std::nullopt;
  return weight;
}

std::int32_t weight_of(const shapes::autoscaling::LaunchTemplateOverrides& one) {
  return one.WeightedCapacity ? parse_weight(*one.WeightedCapacity).value_or(1) : 1;
}

bool has_weights(const Group& group) {
  const auto& mixed = group.settings.mixed_instances;
  if (!mixed || !mixed->LaunchTemplate || !mixed->LaunchTemplate->Overrides) return false;
  const auto& overrides = *mixed->LaunchTemplate->Overrides;
  return !overrides.empty() && overrides.front().WeightedCapacity.has_value();
}

std::int32_t next_weight(const Group& group) {
  if (!has_weights(group)) return 1;
  const auto& overrides = *group.settings.mixed_instances->LaunchTemplate->Overrides;
  return weight_of(overrides[first_option(group, overrides.size())]);
}

std::int32_t weight_of_type(const Group& group, const std::string& type) {
  if (!has_weights(group)) return 1;
  for (const auto& one : *group.settings.mixed_instances->LaunchTemplate->Overrides) {
    if (one.InstanceType == type) return weight_of(one);
  }
  return 1;
}

std::size_t first_option(const Group& group, std::size_t options) {
  return static_cast<std::size_t>(group.failed_launches) % options;
}

}  // namespace services::autoscaling
