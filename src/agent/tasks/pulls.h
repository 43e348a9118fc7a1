// SPDX-License-Identifier: Apache-2.0
// Image pulls. An image that several containers wait for is pulled once.
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
  base::Duration first_pause = std::chrono::seconds(1);  // doubles after each attempt
};

struct Pull {
  std::optional<base::Result<drivers::Pulled>> result;
};

class Pulls {
 public:
  Pulls(boost::asio::any_io_executor executor, drivers::Driver& driver, Signal& changed, PullTiming timing)
      : driver_(driver), changed_(changed), timing_(timing), running_(std::move(executor)) {}

  // Shared because a waiting container may be stopped before the pull ends. Notifies `changed` when the
  // result is set.
  std::shared_ptr<Pull> begin(const std::string& image);

  Coroutines& running() { return running_; }

 private:
  boost::asio::awaitable<void> run(std::string image, std::shared_ptr<Pull> pull);

  drivers::Driver& driver_;
  Signal& changed_;
  const PullTiming timing_;
  std::map<std::string, std::shared_ptr<Pull>> in_progress_;
  Coroutines running_;
};

// False for a missing image or denied access, which another attempt does not cure.
bool is_transient(const std::string& pull_error);

}  // namespace agent
