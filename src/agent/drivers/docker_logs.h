// SPDX-License-Identifier: Apache-2.0
// Copies what containers write into their log files, while they run and to the end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "agent/drivers/docker_api.h"
#include "base/time.h"

namespace agent::drivers {

// Used on one thread, that of the executors that it is given; may be destroyed on any.
class DockerLogs {
 public:
  explicit DockerLogs(std::shared_ptr<DockerApi> api);
  ~DockerLogs();

  // Begins, or goes on where the file ends; nothing where it is at it. `terminal`: the container
  // has one, so its output is one stream without heads.
  void follow(const boost::asio::any_io_executor& executor, const std::string& id, const std::string& log_file,
              bool terminal);
  // Waits until all that an ended container wrote is in its file; no longer than `patience`.
  boost::asio::awaitable<void> finish(std::string id, base::Duration patience);
  // Stops it where it is.
  void forget(const std::string& id);

  struct Job;

 private:
  std::shared_ptr<DockerApi> api_;
  // Shared with the coroutine that does it, which ends a moment after it is told to.
  std::map<std::string, std::shared_ptr<Job>> jobs_;
};

}  // namespace agent::drivers
