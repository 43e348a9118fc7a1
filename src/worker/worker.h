// SPDX-License-Identifier: Apache-2.0
// The worker: receives messages, downloads their objects, has them processed, stores the results and deletes the
// messages. Each item is a coroutine that goes through these steps; so the download of one item, the work on another
// and the upload of a third overlap.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "client/async_client.h"
#include "client/object_client.h"
#include "client/settings.h"
#include "http/coroutines.h"
#include "http/io_threads.h"
#include "http/signal.h"
#include "worker/item.h"
#include "worker/metrics.h"
#include "worker/options.h"
#include "worker/processor.h"
#include "worker/queue.h"
#include "worker/reports.h"
#include "worker/results.h"
#include "worker/visibility.h"
#include "worker/window.h"

namespace worker {

// The task that the worker runs in.
struct Surroundings {
  std::string task_arn;  // "": it is not a task
  std::string machine;
};

class Worker {
 public:
  // Everything runs on the first thread of `io`. Throws std::runtime_error, with a message of one line, for invalid
  // settings.
  Worker(http::IoThreads& io, Options options, const client::Settings& settings, Surroundings around);
  ~Worker();

  // Works until drain(). Throws if the queue can't be opened.
  boost::asio::awaitable<void> run();
  // Stops receiving. Held items are finished, at most for the option `drain`; the others are released. On the thread
  // of `io`.
  void drain();

 private:
  boost::asio::awaitable<void> receive();
  void take(shapes::sqs::Message received);
  void add_item(const std::shared_ptr<Message>& message, std::string bucket, std::string key, std::string sequencer);
  std::size_t room();
  boost::asio::awaitable<void> work_on(std::shared_ptr<Item> item);
  boost::asio::awaitable<Answer> process(Item& item);
  boost::asio::awaitable<Answer> compute(Item& item);
  void settle(const Item& item, const Failure* failure);
  void give_up(const Message& message, const Failure& failure);
  base::Duration pause_after(const Message& message) const;
  void cancel(const std::shared_ptr<Message>& message);
  boost::asio::awaitable<void> finish();

  const Options options_;
  const boost::asio::any_io_executor executor_;
  std::unique_ptr<client::KeySource> keys_;
  client::AsyncClient sqs_, cloudwatch_;
  std::unique_ptr<client::AsyncClient> pipelines_;  // null: no reports
  client::ObjectClient s3_;
  Queue queue_;
  Results results_;
  Metrics metrics_;
  std::unique_ptr<Reports> reports_;
  Visibility visibility_;
  Window window_;
  std::unique_ptr<Processor> processor_;
  std::string folder_;
  std::uint64_t last_id_ = 0;
  std::size_t waiting_ = 0;    // items without an answer
  std::size_t uploading_ = 0;  // items with one
  std::list<Item*> items_;
  bool draining_ = false;
  http::Signal changed_;  // there may be room for more items
  http::Signal stop_;
  http::Coroutines item_coroutines_, receiving_, background_;
};

}  // namespace worker
