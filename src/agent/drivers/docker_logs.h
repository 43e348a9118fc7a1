// SPDX-License-Identifier: Apache-2.0
// Copies the output of containers into their log files.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "agent/drivers/docker_api.h"
#include "base/time.h"

namespace agent::drivers {

// Used on one thread, that of the executors passed to follow(); may be destroyed on any.
class DockerLogs {
 public:
  explicit DockerLogs(std::shared_ptr<DockerApi> api);
  ~DockerLogs();

  // Starts copying, or continues at the end of the file. Does nothing while a copy is running.
  // `terminal`: the container has a terminal, so its output is one stream without frame headers.
  void follow(const boost::asio::any_io_executor& executor, const std::string& id, const std::string& log_file,
              bool terminal);
  // Waits until the file has all the output of an ended container, or until `timeout`.
  boost::asio::awaitable<void> finish(std::string id, base::Duration timeout);
  // Stops the copy.
  void forget(const std::string& id);

  struct Job;

 private:
  std::shared_ptr<DockerApi> api_;
  // Shared with the job's coroutine, which may outlive this object.
  std::map<std::string, std::shared_ptr<Job>> jobs_;
};

}  // namespace agent::drivers
