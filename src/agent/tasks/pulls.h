// SPDX-License-Identifier: Apache-2.0
// Image pulls. An image that several containers wait for is pulled once, and all their tasks have its progress.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/coroutines.h"
#include "agent/drivers/driver.h"
#include "agent/signal.h"
#include "base/time.h"
#include "shapes/agent/extensions.h"

namespace agent {

struct PullTiming {
  int attempts = 3;
  base::Duration first_pause = std::chrono::seconds(1);  // doubles after each attempt
};

struct Pull {
  std::vector<std::string> tasks;  // that wait, by ARN: one entry for each container
  base::Time since;
  std::optional<drivers::PullProgress> progress;  // nullopt: nothing is downloaded
  std::optional<base::Result<drivers::Pulled>> result;
};

class Pulls {
 public:
  static constexpr std::size_t kMaxReported = 100;        // pulls in a message
  static constexpr std::size_t kMaxReportedTasks = 1000;  // of all of them

  Pulls(boost::asio::any_io_executor executor, drivers::Driver& driver, Signal& changed, base::Clock& clock,
        PullTiming timing)
      : driver_(driver), changed_(changed), clock_(clock), timing_(timing), running_(std::move(executor)) {}

  // Shared because a waiting container may be stopped before the pull ends. Notifies `changed` when the
  // result is set.
  std::shared_ptr<Pull> begin(const std::string& image, const std::string& task);
  // The container no longer waits. The pull goes on.
  void leave(Pull& pull, const std::string& task);

  // The downloads in progress that tasks wait for.
  shapes::agent::StokerPulls message() const;
  // Notified when message() may have changed.
  Signal& progressed() { return progressed_; }

  Coroutines& running() { return running_; }

 private:
  boost::asio::awaitable<void> run(std::string image, std::shared_ptr<Pull> pull);

  drivers::Driver& driver_;
  Signal& changed_;
  base::Clock& clock_;
  const PullTiming timing_;
  std::map<std::string, std::shared_ptr<Pull>> in_progress_;
  Signal progressed_;
  Coroutines running_;
};

// False for a missing image or denied access, which another attempt does not cure.
bool is_transient(const std::string& pull_error);

}  // namespace agent
