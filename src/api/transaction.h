// SPDX-License-Identifier: Apache-2.0
// The store's work, awaited: a coroutine goes on, on its own thread, once the work is
// durable.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "services/operation.h"
#include "store/store.h"

namespace api {

// Rethrows what the work threw, or the store::Error that kept it from being committed.
boost::asio::awaitable<void> transact(store::Store& store, services::Access access, store::Store::Work work);

}  // namespace api
