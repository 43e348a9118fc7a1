// SPDX-License-Identifier: Apache-2.0
// Any bytes as an expression of the cluster query language: an error, or an expression that can be
// evaluated for a machine. Patterns take time in proportion to the value.
#include <cstddef>
#include <cstdint>

#include "scheduler/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const model::Instance kInstance{
      .ec2_instance_id = "i-abcd1234",
      .agent_connected = true,
      .agent_version = "1.14.4",
      .attributes = {{"a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"b", std::nullopt}, {"c", "16"}}};
  static const std::vector<model::TaskHold> kTasks = {{.group = "service:web", .started_by = "me", .running = true}};
  auto expression = scheduler::Expression::parse({reinterpret_cast<const char*>(data), size});
  if (expression) expression->matches(kInstance, kTasks);
  return 0;
}
