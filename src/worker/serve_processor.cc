// SPDX-License-Identifier: Apache-2.0
#include "worker/serve_processor.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/duration.h"
#include "base/log.h"
#include "base/utf8.h"
#include "worker/lines.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr base::Duration kLongestPause = std::chrono::seconds(30);
constexpr base::Duration kForever = std::chrono::hours(24 * 365);
constexpr base::Duration kStopPatience = std::chrono::seconds(5);
constexpr std::size_t kShownLine = 200;
constexpr char kOnlyCancelled[] = "its items were cancelled";

base::Duration until(Steady::time_point end) {
  return std::max(std::chrono::ceil<base::Duration>(end - Steady::now()), base::Duration(0));
}

}  // namespace

ServeProcessor::ServeProcessor(asio::any_io_executor executor, ServeRules rules, OnStart on_start)
    : rules_(std::move(rules)),
      on_start_(std::move(on_start)),
      coroutines_(std::move(executor)),
      progress_(Steady::now()) {}

void ServeProcessor::start() { coroutines_.spawn("serve", keep_running()); }

ServeProcessor::~ServeProcessor() = default;

// Forgets the work at the end of its scope, also if the coroutine is cancelled.
struct ServeProcessor::ListedWork {
  ServeProcessor& processor;
  Work& work;
  ~ListedWork() { processor.forget(work); }
};

asio::awaitable<Answer> ServeProcessor::answer(Item& item) {
  Work work;
  work.item = &item;
  work.ready_since = Steady::now();
  ready_.push_back(&work);
  changed_.notify();
  const ListedWork listed{*this, work};
  while (!work.answer) {
    co_await work.changed.wait(http::kLongestWait);
  }
  co_return std::move(*work.answer);
}

void ServeProcessor::forget(Work& work) {
  std::erase(ready_, &work);
  const auto found = written_.find(work.item->id);
  if (found != written_.end() && found->second == &work) written_.erase(found);
}

void ServeProcessor::finish(Work& work, Answer answer) {
  forget(work);
  work.answer = std::move(answer);
  work.changed.notify();
}

void ServeProcessor::leave_batch(const Work& work) {
  const auto batch = std::ranges::find(batches_, work.batch, &Batch::number);
  if (batch != batches_.end() && --batch->open == 0) batches_.erase(batch);
}

// The answer of a process to a cancelled item is ignored. A process that computes only cancelled items is not worth waiting
// for: those behind them may wait as long as the timeout.
void ServeProcessor::cancel(Item& item) {
  const auto found = written_.find(item.id);
  const auto waiting = std::ranges::find(ready_, &item, &Work::item);
  if (found != written_.end()) {
    const std::size_t current = batches_.front().number;
    cancelled_.insert(item.id);
    leave_batch(*found->second);
    finish(*found->second, Cancelled{});
    if (verdict_.empty() && (batches_.empty() || batches_.front().number != current)) verdict_ = kOnlyCancelled;
    attention_.notify();
  } else if (waiting != ready_.end()) {
    finish(**waiting, Cancelled{});
  }
  changed_.notify();
}

FeedState ServeProcessor::feed_state() const {
  FeedState state;
  state.batches = batches_.size();
  state.holds_alone = std::ranges::any_of(batches_, &Batch::alone);
  if (ready_.empty()) return state;
  state.alone = ready_.front()->alone;
  state.since = ready_.front()->ready_since;
  for (const Work* work : ready_) {
    if (work->alone || state.ready == rules_.feed.batch) break;
    ++state.ready;
  }
  if (state.alone) state.ready = 1;
  return state;
}

std::string ServeProcessor::next_lines(std::size_t items) {
  Batch batch{++last_batch_, items, ready_.front()->alone};
  std::string lines;
  for (std::size_t index = 0; index < items; ++index) {
    Work& work = *ready_.front();
    ready_.pop_front();
    work.batch = batch.number;
    written_[work.item->id] = &work;
    lines += request_line(*work.item, index, items);
  }
  batches_.push_back(batch);
  if (batches_.size() == 1) {
    progress_ = Steady::now();
    report_current();
  }
  return lines;
}

// A batch that waits in the process's input is not begun: it is no attempt if the worker dies now.
void ServeProcessor::report_current() {
  for (const auto& [id, work] : written_) {
    if (work->batch == batches_.front().number) on_start_(*work->item);
  }
}

asio::awaitable<void> ServeProcessor::feed(std::shared_ptr<Child> child) {
  // A process that is about to be killed gets nothing more: it could not be blamed on anybody.
  while (verdict_.empty()) {
    const Feed next = next_feed(rules_.feed, feed_state(), Steady::now());
    if (next.items == 0) {
      const base::Duration longest = next.look_at ? until(*next.look_at) : http::kLongestWait;
      co_await changed_.wait(longest);
      continue;
    }
    const std::string lines = next_lines(next.items);
    boost::system::error_code failed;
    auto token = asio::redirect_error(asio::use_awaitable, failed);
    co_await asio::async_write(child->input(), asio::buffer(lines), token);
    if (failed) co_return;  // it has closed its input, and ends or hangs
  }
}

void ServeProcessor::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  base::Result<AnswerLine> parsed = parse_answer_line(line);
  const auto found = parsed ? written_.find(parsed->id) : written_.end();
  // A late answer to a cancelled item, or something that was printed to stdout by mistake.
  if (found == written_.end()) {
    base::log_warn("line of the process ignored", {{"reason", parsed ? "no such item" : parsed.error()},
                                                   {"line", base::to_printable(line.substr(0, kShownLine))}});
    if (!parsed) return;
  }
  answered_ = true;
  progress_ = Steady::now();
  cancelled_.erase(parsed->id);
  if (found == written_.end()) return;
  Work& work = *found->second;
  const std::size_t current = batches_.front().number;
  leave_batch(work);
  finish(work, std::move(parsed->answer));
  if (!batches_.empty() && batches_.front().number != current) report_current();
  changed_.notify();
}

bool ServeProcessor::take_bytes(std::string_view bytes) {
  std::size_t end = bytes.find('\n');
  if (end != bytes.npos && !partial_line_.empty()) {
    partial_line_ += bytes.substr(0, end);
    take_line(partial_line_);
    partial_line_.clear();
    bytes.remove_prefix(end + 1);
    end = bytes.find('\n');
  }
  for (; end != bytes.npos; end = bytes.find('\n')) {
    take_line(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  partial_line_ += bytes;
  return partial_line_.size() <= kMaxResultBytes;
}

asio::awaitable<void> ServeProcessor::read_answers(std::shared_ptr<Child> child) {
  std::string buffer(kReadBytes, '\0');
  for (;;) {
    boost::system::error_code failed;
    auto token = asio::redirect_error(asio::use_awaitable, failed);
    const std::size_t got = co_await child->output().async_read_some(asio::buffer(buffer), token);
    if (failed) co_return;
    if (take_bytes(std::string_view(buffer).substr(0, got))) continue;
    verdict_ = "it answered with a line of more than " + std::to_string(kMaxResultBytes) + " bytes";
    attention_.notify();
    co_return;
  }
}

// What an ended process left in its pipe.
void ServeProcessor::read_rest(Child& child) {
  std::string buffer(kReadBytes, '\0');
  for (bool more = verdict_.empty(); more;) {
    const ssize_t got = ::read(child.output().native_handle(), buffer.data(), buffer.size());
    more = got > 0 && take_bytes(std::string_view(buffer).substr(0, std::size_t(got)));
  }
  partial_line_.clear();
}

// Kills a process that hangs, or whose items nobody wants.
asio::awaitable<void> ServeProcessor::watch(std::shared_ptr<Child> child) {
  for (;;) {
    const Steady::time_point due = progress_ + rules_.timeout;
    if (verdict_.empty() && !batches_.empty() && Steady::now() >= due) {
      verdict_ = "no answer within " + base::duration_text(rules_.timeout);
    }
    if (stopping_ && written_.empty()) {
      child->input().close();  // asks it to end
      co_await http::sleep_for(kStopPatience);
    }
    if (stopping_ || !verdict_.empty()) {
      child->kill();
      co_return;
    }
    // Not at every answer: a look at the old deadline finds the new one.
    const base::Duration longest = batches_.empty() ? rules_.timeout : until(due);
    co_await attention_.wait(std::min(longest, http::kLongestWait));
  }
}

// The process has ended: see the top of the header.
void ServeProcessor::settle_ended(const std::string& type, const std::string& reason) {
  std::vector<Work*> open;
  for (auto& [id, work] : written_) open.push_back(work);
  const bool is_known = open.size() == 1 && cancelled_.empty();
  const bool is_suspect = verdict_ != kOnlyCancelled;
  batches_.clear();
  written_.clear();
  cancelled_.clear();
  if (is_known) {
    finish(*open.front(), Failure{type, reason});
    return;
  }
  std::ranges::sort(open, std::greater(), [](const Work* work) { return std::pair(work->ready_since, work->item->id); });
  for (Work* work : open) {
    work->alone = work->alone || is_suspect;
    work->batch = 0;
    ready_.push_front(work);
  }
}

asio::awaitable<void> ServeProcessor::run_process() {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  ChildCommand command;
  command.words = rules_.words;
  command.pipes = true;
  auto started = Child::start(executor, std::move(command));
  if (!started) {
    base::log_error("process not started", {{"error", started.error()}});
    // Without a process every item fails, each with the reason.
    if (!ready_.empty()) finish(*ready_.front(), Failure{"ProcessNotStarted", started.error()});
    co_return;
  }
  std::shared_ptr<Child> child = std::move(*started);  // shared with its coroutines
  http::Coroutines parts(executor);
  parts.spawn("errors", child->copy_errors());
  parts.spawn("answers", read_answers(child));
  parts.spawn("feed", feed(child));
  parts.spawn("watch", watch(child));
  const std::optional<int> status = co_await child->wait(kForever);
  child->kill();  // what it left in the background
  parts.cancel();
  co_await parts.ended();
  read_rest(*child);
  const std::string how = !verdict_.empty() ? verdict_ + "; the process was killed" : describe_status(status.value_or(0));
  const std::string errors = child->last_errors();
  if (!stopping_) base::log_warn("process ended", {{"reason", how}, {"items", written_.size()}});
  const bool timed_out = verdict_.starts_with("no answer");
  settle_ended(timed_out ? "Timeout" : "ProcessDied", how + (timed_out || errors.empty() ? "" : ": " + errors));
}

asio::awaitable<void> ServeProcessor::keep_running() {
  base::Duration pause = rules_.first_pause;
  while (!stopping_) {
    answered_ = false;
    verdict_.clear();
    co_await run_process();
    // A process that answers nothing would start and end all the time.
    const bool failed = !answered_ && verdict_.empty();
    const Steady::time_point end = Steady::now() + pause;
    while (failed && !stopping_ && Steady::now() < end) {
      co_await changed_.wait(until(end));
    }
    pause = failed ? std::min(2 * pause, kLongestPause) : rules_.first_pause;
  }
}

asio::awaitable<void> ServeProcessor::stop() {
  stopping_ = true;
  changed_.notify();
  attention_.notify();
  co_await coroutines_.ended();
}

}  // namespace worker
