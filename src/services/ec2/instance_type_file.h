// SPDX-License-Identifier: Apache-2.0
// The catalogue of instance types that an operator configures.
#pragma once

#include <string>

#include "model/instance_types.h"

namespace services::ec2 {

// The built-in types with those of the file; "": no file. Throws std::runtime_error, which names the file and the line.
model::InstanceTypes read_instance_types(const std::string& file);

}  // namespace services::ec2
