// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/time.h"

namespace agent::drivers {

// Suspends the calling coroutine. Throws when the caller is cancelled.
boost::asio::awaitable<void> sleep_for(base::Duration duration);

}  // namespace agent::drivers
