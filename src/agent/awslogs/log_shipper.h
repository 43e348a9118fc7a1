// SPDX-License-Identifier: Apache-2.0
// Sends the log file of one container to CloudWatch Logs: every line once and in order, whatever is killed. The file
// is the buffer. Lines leave a tenth of a second after the first of them, without waiting for more.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <random>
#include <string>

#include "agent/awslogs/file_watch.h"
#include "agent/awslogs/log_calls.h"
#include "agent/logs/batch.h"

namespace agent {

struct ShipperSettings {
  std::string task_arn, container;  // for messages
  std::string log_file;
  std::string cursor_file;
  std::string stream;
  logs::AwslogsOptions options;
  base::Duration retry = std::chrono::milliseconds(200);    // after a failed call
  base::Duration retry_longest = std::chrono::seconds(10);  // doubles up to here
};

class LogShipper {
 public:
  LogShipper(ShipperSettings settings, LogCalls calls, FileWatch& watch, Signal& changed);
  LogShipper(const LogShipper&) = delete;
  ~LogShipper() { watch_.forget(news_); }

  // Returns once the container has ended and all of its lines are sent.
  boost::asio::awaitable<void> run();

  // The container has ended: its log file is complete.
  void set_ended();
  // The server answers again: sends at once what waits.
  void retry_now() { news_.notify(); }

  bool done() const { return done_; }
  // The last call failed.
  bool failing() const { return failures_ > 0; }

 private:
  boost::asio::awaitable<void> skip_excess();
  boost::asio::awaitable<void> await_lines();
  boost::asio::awaitable<void> send();
  boost::asio::awaitable<void> on_rejection(std::string code, std::string message);
  boost::asio::awaitable<void> pause(std::string reason);
  void continue_at(const std::string& token);
  void acknowledge(const shapes::logs::PutLogEventsResponse& response);

  ShipperSettings settings_;
  LogCalls calls_;
  FileWatch& watch_;
  Signal& changed_;  // notified when done() or failing() has changed
  Signal news_;      // lines, the container's end, or the server's return
  logs::BatchReader reader_;
  std::string acknowledged_;  // the stream's cursor, as text; "": its beginning
  std::int64_t dropped_ = 0;  // lines, so far logged
  std::optional<std::chrono::steady_clock::time_point> flush_at_;  // for an event of several lines
  int failures_ = 0;          // in a row
  bool ended_ = false;
  bool done_ = false;
  std::minstd_rand random_;
};

}  // namespace agent
