// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include "subject.h"
namespace bench {
std::unique_ptr<Subject> rabbitmq_subject(const Ground&) { throw std::runtime_error("not yet"); }
}
