// SPDX-License-Identifier: Apache-2.0
#include "agent/awslogs/log_shipper.h"

#include <algorithm>
#include <fstream>
#include <filesystem>

#include "agent/durable_file.h"
#include "base/log.h"
#include "wire/error.h"

namespace agent {
namespace asio = boost::asio;
namespace {

using Steady = std::chrono::steady_clock;

// Between the first line and its batch. Docker's driver waits for up to 5 s.
constexpr base::Duration kGather = std::chrono::milliseconds(100);
constexpr base::Duration kPollUnwatched = std::chrono::milliseconds(250);
constexpr std::int64_t kSkipSlice = 4 * 1024 * 1024;

// Not synced: the server has the cursor too, and decides.
void save_cursor(const std::string& path, const std::string& token) {
  const std::string temporary = path + ".new";
  std::ofstream out(temporary, std::ios::trunc);
  out << token << std::flush;
  std::error_code ignored;
  if (out) std::filesystem::rename(temporary, path, ignored);
}

// Those at the begin are too old or expired, those at the end too new.
std::int64_t count_rejected(const shapes::logs::RejectedLogEventsInfo& info, std::size_t events) {
  const std::int32_t old = std::max(info.tooOldLogEventEndIndex.value_or(0), info.expiredLogEventEndIndex.value_or(0));
  const auto end = std::int32_t(events);
  return old + (end - info.tooNewLogEventStartIndex.value_or(end));
}

// The server rejects such a batch however often it is sent.
bool is_final(const std::string& code) {
  return code == "InvalidParameterException" || code == "ValidationException" || code == "SerializationException";
}

}  // namespace

LogShipper::LogShipper(ShipperSettings settings, LogCalls calls, FileWatch& watch, Signal& changed)
    : settings_(std::move(settings)),
      calls_(std::move(calls)),
      watch_(watch),
      changed_(changed),
      reader_(settings_.log_file, settings_.options),
      random_(std::random_device{}()) {
  continue_at(read_file(settings_.cursor_file).value_or(""));
}

void LogShipper::continue_at(const std::string& token) {
  acknowledged_ = token;
  flush_at_.reset();
  reader_.seek(logs::parse_cursor(token).value_or(logs::Cursor()));
}

void LogShipper::set_ended() {
  if (ended_) return;
  ended_ = true;
  news_.notify();
}

asio::awaitable<void> LogShipper::run() {
  for (;;) {
    co_await skip_excess();
    bool complete = ended_;  // read before the file
    if (reader_.read().events.empty() && !complete) {
      co_await await_lines();
      continue;
    }
    if (!complete && !reader_.batch().full) {
      co_await news_.wait(kGather);
      complete = ended_;
      reader_.read();
    }
    if (complete) reader_.flush(true);
    if (reader_.batch().events.empty()) break;
    flush_at_.reset();
    co_await send();
  }
  done_ = true;
  changed_.notify();
}

// Returns when the file may have more lines, or when an event of several lines is due.
asio::awaitable<void> LogShipper::await_lines() {
  base::Duration longest = kLongestWait;
  if (reader_.can_flush()) {
    const Steady::time_point now = Steady::now();
    if (!flush_at_) flush_at_ = now + settings_.options.flush_interval;
    if (now >= *flush_at_) {
      flush_at_.reset();
      reader_.flush(false);
      co_return;
    }
    longest = std::min(longest, std::chrono::ceil<base::Duration>(*flush_at_ - now));
  }
  const bool watched = watch_.once(reader_.path(), news_);
  if (!watched) longest = std::min(longest, kPollUnwatched);
  // After the watch has begun: what was written before wakes nobody.
  if (reader_.has_more() || ended_) co_return;
  co_await news_.wait(longest);
}

asio::awaitable<void> LogShipper::skip_excess() {
  while (reader_.skip_excess(kSkipSlice)) {
    co_await sleep_for(base::Duration(0));  // others run
  }
}

asio::awaitable<void> LogShipper::send() {
  const logs::Batch& batch = reader_.batch();
  shapes::logs::PutLogEventsRequest request;
  request.logGroupName = settings_.options.group;
  request.logStreamName = settings_.stream;
  request.sequenceToken = logs::batch_token(acknowledged_, to_text(batch.end));
  for (const logs::Event& event : batch.events) request.logEvents.push_back({event.timestamp_ms, event.message});
  std::string code, message;
  try {
    shapes::logs::PutLogEventsResponse response = co_await calls_.put_events(std::move(request));
    acknowledge(response);
    co_return;
  } catch (const wire::ApiError& error) {
    code = error.code();
    message = error.message();
  } catch (const std::exception& error) {
    message = error.what();
  }
  co_await on_rejection(std::move(code), std::move(message));
}

void LogShipper::acknowledge(const shapes::logs::PutLogEventsResponse& response) {
  const logs::Batch& batch = reader_.batch();
  if (response.rejectedLogEventsInfo) {
    base::log_warn("log events rejected by their age",
                   {{"task", settings_.task_arn},
                    {"container", settings_.container},
                    {"events", count_rejected(*response.rejectedLogEventsInfo, batch.events.size())}});
  }
  if (reader_.dropped() > dropped_) {
    base::log_warn("log lines dropped: the buffer was full", {{"task", settings_.task_arn},
                                                              {"container", settings_.container},
                                                              {"lines", reader_.dropped() - dropped_}});
    dropped_ = reader_.dropped();
  }
  acknowledged_ = to_text(batch.end);
  save_cursor(settings_.cursor_file, acknowledged_);
  reader_.next();
  if (std::exchange(failures_, 0) > 0) changed_.notify();
}

// `code` is "" where no reply came: then the batch may have been stored, and the server's cursor decides.
asio::awaitable<void> LogShipper::on_rejection(std::string code, std::string message) {
  if (code == "InvalidSequenceTokenException") {
    const auto expected = logs::expected_token(message);
    if (expected && *expected != acknowledged_) {
      continue_at(*expected);
      co_return;
    }
  }
  if (is_final(code)) {
    base::log_error("log events dropped", {{"task", settings_.task_arn},
                                           {"container", settings_.container},
                                           {"events", reader_.batch().events.size()},
                                           {"error", code + ": " + message}});
    reader_.next();
    co_return;
  }
  continue_at(std::string(acknowledged_));
  if (code == "ResourceNotFoundException") {
    try {
      co_await create_log_stream(calls_, settings_.options, settings_.stream);
      co_return;
    } catch (const std::exception& error) {
      message = error.what();
    }
  }
  std::string reason = code.empty() ? message : code + ": " + message;
  co_await pause(std::move(reason));
}

asio::awaitable<void> LogShipper::pause(std::string reason) {
  if (failures_++ == 0) {
    base::log_warn("log events not sent", {{"task", settings_.task_arn},
                                           {"container", settings_.container},
                                           {"error", reason}});
    changed_.notify();
  }
  const base::Duration longest =
      std::min(settings_.retry * (1 << std::min(failures_ - 1, 10)), settings_.retry_longest);
  co_await news_.wait(longest / 2 + base::Duration(random_() % (longest.count() / 2 + 1)));
}

}  // namespace agent
