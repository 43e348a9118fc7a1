// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/log.h"
#include "base/random.h"
#include "worker/event.h"
#include "worker/open_processor.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMaxUploading = 256;
constexpr base::Duration kFirstReceivePause = std::chrono::milliseconds(250);
constexpr base::Duration kLongestReceivePause = std::chrono::seconds(15);
constexpr base::Duration kLongestBackoff = std::chrono::minutes(15);
constexpr base::Duration kLastCalls = std::chrono::seconds(5);  // to release and delete messages at the end

WindowLimits window_of(const Options& options) {
  const std::size_t busy = options.exec.empty() ? options.batch : options.concurrency;
  if (options.prefetch) return {busy + *options.prefetch, busy + *options.prefetch};
  return {2 * busy, std::max<std::size_t>(256, 4 * busy)};
}

// Keeps the end of the name, so that commands recognise its extension.
std::string file_name_of(const std::string& key) {
  constexpr std::size_t kMaxName = 100;
  std::string name = key.substr(key.rfind('/') + 1);
  if (name.size() > kMaxName) name = name.substr(name.size() - kMaxName);
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return name;
}

std::string create_work_folder(const std::string& given) {
  const char* temporary = std::getenv("TMPDIR");
  const std::string parent = !given.empty() ? given : temporary && *temporary ? temporary : "/tmp";
  std::string folder = parent + "/stoker-work-XXXXXX";
  if (!::mkdtemp(folder.data())) {
    throw std::runtime_error("cannot create a folder in " + parent + ": " + std::strerror(errno) +
                             "; choose another one with --workdir");
  }
  return folder;
}

// Null where nobody wants reports.
std::unique_ptr<client::AsyncClient> open_pipelines(http::IoThreads& io, const Options& options,
                                                    const client::Settings& settings, client::KeySource& keys) {
  if (options.pipeline.empty() || settings.is_amazon("pipelines")) return nullptr;
  return std::make_unique<client::AsyncClient>(io, settings.profile_for("pipelines"), keys);
}

std::string queue_name(const std::string& name_or_url) { return name_or_url.substr(name_or_url.rfind('/') + 1); }

// Takes the item off the list at the end of its scope, also if the coroutine is cancelled.
struct ListedItem {
  std::list<Item*>& items;
  Item* item;
  ~ListedItem() { items.remove(item); }
};

}  // namespace

Worker::Worker(http::IoThreads& io, Options options, const client::Settings& settings, Surroundings around)
    : options_(std::move(options)),
      executor_(io.at(0).get_executor()),
      keys_(settings.open_keys(io)),
      sqs_(io, settings.profile_for("sqs"), *keys_),
      cloudwatch_(io, settings.profile_for("cloudwatch"), *keys_),
      pipelines_(open_pipelines(io, options_, settings, *keys_)),
      s3_(io, settings.profile_for("s3"), *keys_),
      queue_(executor_, sqs_, options_.queue),
      results_(s3_, options_, {around.task_arn, around.machine}),
      metrics_(cloudwatch_, options_.pipeline.empty() ? "Queue" : "Pipeline",
               options_.pipeline.empty() ? queue_name(options_.queue) : options_.pipeline),
      reports_(pipelines_ ? std::make_unique<Reports>(*pipelines_, options_.pipeline, around.task_arn) : nullptr),
      visibility_(queue_, options_.visibility, [this](const std::shared_ptr<Message>& message) { cancel(message); }),
      window_(window_of(options_)),
      folder_(create_work_folder(options_.work_folder)),
      item_coroutines_(executor_),
      receiving_(executor_),
      background_(executor_) {}

Worker::~Worker() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

asio::awaitable<void> Worker::run() {
  co_await queue_.open();
  base::log_info("worker started", {{"queue", queue_.url()}, {"folder", folder_}});
  processor_ = open_processor(options_, executor_, [this](const Item& item) {
    if (reports_) reports_->started(item);
  });
  background_.spawn("visibility", visibility_.run());
  background_.spawn("metrics", metrics_.run());
  if (reports_) background_.spawn("reports", reports_->run());
  receiving_.spawn("receive", receive());
  while (!draining_) {
    co_await stop_.wait(http::kLongestWait);
  }
  co_await finish();
}

void Worker::drain() {
  if (draining_) return;
  draining_ = true;
  base::log_info("draining", {{"items", items_.size()}});
  stop_.notify();
}

std::size_t Worker::room() {
  const std::size_t window = window_.size(std::chrono::steady_clock::now());
  if (uploading_ >= kMaxUploading || waiting_ >= window) return 0;
  return window - waiting_;
}

asio::awaitable<void> Worker::receive() {
  base::Duration pause = kFirstReceivePause;
  for (;;) {
    while (room() == 0) {
      co_await changed_.wait(http::kLongestWait);
    }
    std::string failed;
    try {
      std::vector<shapes::sqs::Message> messages = co_await queue_.receive(room(), options_.visibility);
      for (shapes::sqs::Message& message : messages) take(std::move(message));
      pause = kFirstReceivePause;
    } catch (const std::exception& error) {
      failed = error.what();
    }
    if (failed.empty()) continue;
    if (!draining_) base::log_warn("no messages received", {{"error", failed}});
    co_await http::sleep_for(pause);
    pause = std::min(2 * pause, kLongestReceivePause);
  }
}

void Worker::take(shapes::sqs::Message received) {
  auto message = std::make_shared<Message>();
  message->id = received.MessageId.value_or("");
  message->receipt = received.ReceiptHandle.value_or("");
  if (received.Attributes && received.Attributes->contains("ApproximateReceiveCount")) {
    message->attempt = std::max(1, std::atoi(received.Attributes->at("ApproximateReceiveCount").c_str()));
  }
  message->body = received.Body.value_or("");
  auto objects = parse_event(message->body);
  if (!objects) {
    // An unknown kind of message: it ends in the dead-letter queue, where people can look at it.
    base::log_warn("message not understood", {{"message", message->id}, {"reason", objects.error()}});
    metrics_.failed();
    queue_.release(message->receipt, pause_after(*message));
    return;
  }
  // Results of our own in a bucket whose notification has no prefix would be inputs again.
  std::erase_if(*objects, [&](const CreatedObject& object) {
    const bool ours = object.bucket == options_.results_bucket || options_.results_bucket.empty();
    return ours && (object.key.starts_with(options_.results_prefix) || object.key.starts_with(options_.errors_prefix));
  });
  if (objects->empty()) {
    base::log_info("message without items deleted", {{"message", message->id}});
    queue_.remove(message->receipt);
    return;
  }
  message->open_items = objects->size();
  visibility_.hold(message);
  for (CreatedObject& object : *objects) {
    add_item(message, std::move(object.bucket), std::move(object.key), std::move(object.sequencer));
  }
}

void Worker::add_item(const std::shared_ptr<Message>& message, std::string bucket, std::string key,
                      std::string sequencer) {
  auto item = std::make_shared<Item>();
  item->message = message;
  item->id = std::to_string(++last_id_);
  item->name = key.starts_with(options_.input_prefix) ? key.substr(options_.input_prefix.size()) : key;
  item->input = folder_ + "/" + item->id + "-" + file_name_of(key);
  item->bucket = std::move(bucket);
  item->key = std::move(key);
  item->sequencer = std::move(sequencer);
  ++waiting_;
  items_.push_back(item.get());
  item_coroutines_.spawn("item", work_on(std::move(item)));
}

asio::awaitable<Answer> Worker::compute(Item& item) {
  // Of an earlier delivery, whose worker died before it could delete the message, or of another record of this one.
  if (item.message->attempt > 1) {
    const bool done = co_await results_.is_done(item);
    if (done) co_return Result{};
  }
  std::optional<Failure> missing = co_await results_.fetch(item);
  if (missing) co_return std::move(*missing);
  if (item.message->cancelled) co_return Cancelled{};
  metrics_.enter(std::chrono::steady_clock::now());
  Answer answer = co_await processor_->answer(item);
  metrics_.leave(std::chrono::steady_clock::now());
  co_return answer;
}

// Until the result is stored.
asio::awaitable<Answer> Worker::process(Item& item) {
  Answer answer = co_await compute(item);
  ::unlink(item.input.c_str());
  --waiting_;
  ++uploading_;
  window_.answered(std::chrono::steady_clock::now());
  changed_.notify();
  Result* result = std::get_if<Result>(&answer);
  if (!result || result->json.empty()) co_return answer;
  base::Result<Stored> stored = co_await results_.store(item, std::move(result->json));
  if (!stored) co_return Failure{"UploadFailed", stored.error()};
  if (*stored != Stored::Written) base::log_info("result is there already", {{"key", item.key}});
  co_return answer;
}

asio::awaitable<void> Worker::work_on(std::shared_ptr<Item> item) {
  const ListedItem listed{items_, item.get()};
  Answer answer = co_await process(*item);
  Failure* failure = std::get_if<Failure>(&answer);
  if (failure) {
    metrics_.failed();
    base::log_warn("item failed", {{"key", item->key},
                                   {"attempt", item->message->attempt},
                                   {"type", failure->type},
                                   {"error", failure->message}});
    const bool stored = co_await results_.store_error(*item, *failure, base::SystemClock().now());
    // A failure whose document was not stored is tried again.
    failure->permanent = failure->permanent && stored;
  } else if (!item->message->cancelled) {
    metrics_.finished();
  }
  --uploading_;
  settle(*item, failure);
  changed_.notify();
}

// The message goes when its last item is done.
void Worker::settle(const Item& item, const Failure* failure) {
  Message& message = *item.message;
  message.failed = message.failed || failure;
  message.hopeful = message.hopeful || (failure && !failure->permanent);
  if (--message.open_items > 0) return;
  visibility_.let_go(message);
  if (message.cancelled) return;
  if (!message.failed) {
    queue_.remove(message.receipt);
  } else if (failure && !message.hopeful) {
    give_up(message, *failure);
  } else {
    queue_.release(message.receipt, pause_after(message));
  }
}

void Worker::give_up(const Message& message, const Failure& failure) {
  // A pipeline has moved the message when it got the error document.
  if (!options_.pipeline.empty()) return;
  if (queue_.has_dead_letters()) {
    queue_.bury(message, failure);
  } else {
    queue_.release(message.receipt, pause_after(message));
  }
}

// Grows with each attempt. After the last one the message moves to the dead-letter queue with the next receive, so
// there is nothing to wait for.
base::Duration Worker::pause_after(const Message& message) const {
  if (queue_.max_receives() && message.attempt >= *queue_.max_receives()) return base::Duration(0);
  return std::min(options_.backoff * (1 << std::min(message.attempt - 1, 20)), kLongestBackoff);
}

void Worker::cancel(const std::shared_ptr<Message>& message) {
  base::log_info("message is gone, its items are cancelled", {{"message", message->id}});
  for (Item* item : items_) {
    if (item->message == message) processor_->cancel(*item);
  }
}

asio::awaitable<void> Worker::finish() {
  receiving_.cancel();
  co_await receiving_.ended();
  co_await item_coroutines_.ended_within(options_.drain);
  const std::size_t released = items_.size();
  for (const auto& message : visibility_.held()) {
    visibility_.let_go(*message);
    queue_.release(message->receipt, base::Duration(0));
  }
  item_coroutines_.cancel();
  co_await item_coroutines_.ended();
  co_await processor_->stop();
  // What does not succeed in time is repeated by whoever gets the messages then.
  background_.cancel();
  co_await background_.ended();
  http::Coroutines last(executor_);
  last.spawn("flush", queue_.flush());
  last.spawn("metrics", metrics_.publish());
  co_await last.ended_within(kLastCalls);
  last.cancel();
  co_await last.ended();
  co_await queue_.stop();
  base::log_info("worker ended", {{"released", released}});
}

}  // namespace worker
