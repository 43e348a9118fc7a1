// SPDX-License-Identifier: Apache-2.0
// Time that works take.
#pragma once

#include <chrono>

namespace store {

// Of the processor, for this thread.
std::chrono::nanoseconds thread_time();
// For differences.
std::chrono::nanoseconds steady_time();

// SQLite's virtual machine takes about a millisecond for so many steps.
inline constexpr int kStepsBetweenLooks = 20000;

}  // namespace store
