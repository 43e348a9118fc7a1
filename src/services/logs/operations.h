// SPDX-License-Identifier: Apache-2.0
// The parts that module.cc puts together. Each source exports its own.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::logs {

std::vector<Operation> group_operations();
std::vector<Operation> stream_operations();
std::vector<Operation> put_operations();

store::Migrations migrations();

}  // namespace services::logs
