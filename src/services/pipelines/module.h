// SPDX-License-Identifier: Apache-2.0
// Pipelines: a file goes in, the result comes out. A pipeline is made of resources of the other services, by their own
// public operations; a job is one input of it.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::pipelines {

Module module(const Options& options);

}  // namespace services::pipelines
