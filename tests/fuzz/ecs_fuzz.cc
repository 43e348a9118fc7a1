// SPDX-License-Identifier: Apache-2.0
// Any task definition is accepted or rejected, and any ARN is parsed or rejected.
#include <cstddef>
#include <cstdint>
#include <string>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/check_task.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  services::ecs::parse_arn(text);
  shapes::ecs::RegisterTaskDefinitionRequest request;
  try {
    wire::read_json(wire::type_of<shapes::ecs::RegisterTaskDefinitionRequest>(), text, &request);
    services::ecs::check_task(request);
  } catch (const wire::ApiError&) {
  }
  return 0;
}
