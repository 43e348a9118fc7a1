// SPDX-License-Identifier: Apache-2.0
// A transaction that a coroutine awaits: it continues on its own thread once the transaction is durable.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "services/operation.h"
#include "store/store.h"

namespace api {

// The work as one of the caller's account, or of anonymous clients: the store lets accounts take turns.
store::Store::Work for_caller(const services::Caller& caller, store::Store::Work work);

// Rethrows the exception of the work, or the store::Error that prevented the commit.
boost::asio::awaitable<void> transact(store::Store& store, services::Access access, store::Store::Work work);

}  // namespace api
