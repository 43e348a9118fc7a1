// SPDX-License-Identifier: Apache-2.0
// A read on the caller's own thread: for what takes less time than going to another and back.
#pragma once

#include "store/store.h"

namespace store {

// The work in a transaction of its own, before this returns; rethrows. False, and nothing was done, where
// the store has no connection free for it: read() then.
bool read_here(Store& store, const Store::Work& work);

}  // namespace store
