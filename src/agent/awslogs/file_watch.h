// SPDX-License-Identifier: Apache-2.0
// Wakes a coroutine when a file is written or renamed, by inotify.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agent/coroutines.h"

namespace agent {

class FileWatch {
 public:
  explicit FileWatch(boost::asio::any_io_executor executor) : coroutines_(executor), executor_(executor) {}

  // Notifies `signal` once, at the next change of the file: so a file that is written all the time costs nothing
  // while its reader is busy. `signal` must exist until then, or until forget(). False: it cannot be watched.
  bool once(const std::string& path, Signal& signal);
  void forget(const Signal& signal);

  Coroutines& coroutines() { return coroutines_; }

 private:
  boost::asio::awaitable<void> read_events();
  void notify(std::string_view events);

  Coroutines coroutines_;
  boost::asio::any_io_executor executor_;
  std::unique_ptr<boost::asio::posix::stream_descriptor> events_;  // null until the first watch
  std::map<int, Signal*> watched_;                                  // by inotify's number
};

}  // namespace agent
