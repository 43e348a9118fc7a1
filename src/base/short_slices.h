// SPDX-License-Identifier: Apache-2.0
// How long a thread runs before another one has its turn.
#pragma once

namespace base {

// From now on the kernel gives this thread its time in slices of 0.1 ms instead of about 3 ms: as much time in all, but it
// need not wait for the end of a neighbour's slice when it wakes. For threads whose work is short and waited for. Linux 6.12
// and later; without effect on earlier ones.
void run_in_short_slices();

}  // namespace base
