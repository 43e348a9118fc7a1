// SPDX-License-Identifier: Apache-2.0
// Amazon SQS: queues.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::sqs {

Module module(const Options& options);

}  // namespace services::sqs
