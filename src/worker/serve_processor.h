// SPDX-License-Identifier: Apache-2.0
// Keeps a process alive and feeds it batches of items: lines in, lines out (lines.h). A process that dies or hangs is
// killed and started again.
//
// Blame: an item fails if it was the only one that the process had. If there were several, nobody knows which one it
// was: each is given to the next process alone, without a failure. So one bad item fails by itself. Nor does an item fail
// in a process that was killed for a cancelled item, or that still had one.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/time.h"
#include "http/coroutines.h"
#include "http/signal.h"
#include "worker/child.h"
#include "worker/feed.h"
#include "worker/processor.h"

namespace worker {

struct ServeRules {
  std::vector<std::string> words;  // of the command
  FeedRules feed;
  base::Duration timeout = std::chrono::minutes(5);  // from the start of a batch, or its last answer, to the next
  base::Duration first_pause = std::chrono::milliseconds(500);  // before the restart of a process that answered nothing
};

class ServeProcessor final : public Processor {
 public:
  ServeProcessor(boost::asio::any_io_executor executor, ServeRules rules, OnStart on_start);
  ~ServeProcessor() override;

  // Starts the process, and again whenever it ends.
  void start();

  boost::asio::awaitable<Answer> answer(Item& item) override;
  void cancel(Item& item) override;
  boost::asio::awaitable<void> stop() override;

 private:
  // An item in here, until its answer.
  struct Work {
    Item* item = nullptr;
    Steady::time_point ready_since = {};
    bool alone = false;     // the next process gets nothing else
    std::size_t batch = 0;  // the number of the batch it was written with; 0: not written
    std::optional<Answer> answer = {};
    http::Signal changed = {};
  };
  struct ListedWork;
  struct Batch {
    std::size_t number = 0;
    std::size_t open = 0;
    bool alone = false;
  };

  boost::asio::awaitable<void> keep_running();
  boost::asio::awaitable<void> run_process();
  boost::asio::awaitable<void> feed(std::shared_ptr<Child> child);
  boost::asio::awaitable<void> read_answers(std::shared_ptr<Child> child);
  boost::asio::awaitable<void> watch(std::shared_ptr<Child> child);
  FeedState feed_state() const;
  std::string next_lines(std::size_t items);
  // The items of the batch that the process computes are begun.
  void report_current();
  // False: a line is too long.
  bool take_bytes(std::string_view bytes);
  void read_rest(Child& child);
  void take_line(std::string_view line);
  void finish(Work& work, Answer answer);
  void leave_batch(const Work& work);
  void settle_ended(const std::string& type, const std::string& reason);
  void forget(Work& work);

  const ServeRules rules_;
  const OnStart on_start_;
  http::Coroutines coroutines_;
  http::Signal changed_;    // something for the feeder
  http::Signal attention_;  // something for the watch
  std::deque<Work*> ready_;
  std::unordered_map<std::string, Work*> written_;  // by id
  std::unordered_set<std::string> cancelled_;       // ids of written items that nobody wants, without an answer
  std::deque<Batch> batches_;                       // in the process
  std::size_t last_batch_ = 0;
  std::string partial_line_;
  Steady::time_point progress_;  // the last answer, or the start of the current batch
  bool answered_ = false;        // this process answered something
  std::string verdict_;          // why we killed it; "": we did not
  bool stopping_ = false;
};

}  // namespace worker
