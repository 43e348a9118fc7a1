// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/driver.h"

#include "agent/drivers/sleep.h"

namespace agent::drivers {

constexpr base::Duration kNoEngineWait = std::chrono::hours(1);

boost::asio::awaitable<base::Result<Nothing>> Driver::ping() { co_return Nothing{}; }

boost::asio::awaitable<void> Driver::end_task(std::string) { co_return; }

boost::asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> Driver::exec(std::string, ExecRequest) {
  co_return base::Error{"this driver does not support commands in containers"};
}

boost::asio::awaitable<void> Driver::watch_engine() { co_await sleep_for(kNoEngineWait); }

}  // namespace agent::drivers
