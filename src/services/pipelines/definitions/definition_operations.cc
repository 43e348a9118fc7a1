// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/operations.h"

namespace services::pipelines {

std::vector<Operation> definition_operations() { return {}; }

}  // namespace services::pipelines
