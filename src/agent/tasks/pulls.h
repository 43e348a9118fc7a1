// SPDX-License-Identifier: Apache-2.0
// Images on their way to this machine. One that several containers wait for is pulled once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/coroutines.h"
#include "agent/drivers/driver.h"
#include "agent/signal.h"

namespace agent {

struct PullTiming {
  int attempts = 3;
  base::Duration first_pause = std::chrono::seconds(1);  // twice as long after each
};

struct Pull {
  std::optional<base::Result<drivers::Pulled>> result;
};

class Pulls {
 public:
  Pulls(boost::asio::any_io_executor executor, drivers::Driver& driver, Signal& changed, PullTiming timing)
      : driver_(driver), changed_(changed), timing_(timing), running_(std::move(executor)) {}

  // Shared: whoever waits for it may be told to stop before it has ended. `changed` is notified
  // when there is a result.
  std::shared_ptr<Pull> begin(const std::string& image);

  Coroutines& running() { return running_; }

 private:
  boost::asio::awaitable<void> run(std::string image, std::shared_ptr<Pull> pull);

  drivers::Driver& driver_;
  Signal& changed_;
  const PullTiming timing_;
  std::map<std::string, std::shared_ptr<Pull>> under_way_;
  Coroutines running_;
};

// An image that is not there, or that may not be had, will not be on the next attempt either.
bool may_pass(const std::string& pull_error);

}  // namespace agent
