// SPDX-License-Identifier: Apache-2.0
#include "worker/queue.h"

#include <boost/describe/class.hpp>
#include <map>

#include "base/log.h"
#include "base/utf8.h"
#include "shapes/sqs/errors.h"
#include "shapes/sqs/message_batch.h"
#include "shapes/sqs/queue.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace worker {
namespace asio = boost::asio;
using namespace shapes::sqs;
namespace {

constexpr wire::Service kSqsService{.name = "sqs",
                                    .json_namespace = "com.amazonaws.sqs",
                                    .target_prefix = "AmazonSQS",
                                    .query_compatible = true,
                                    .errors = kErrors};
const client::Target kSqs{kSqsService, "sqs", wire::Protocol::Json10};

constexpr std::int32_t kPollSeconds = 20;  // SQS's longest
constexpr int kMaxAttempts = 8;
constexpr base::Duration kAttemptPause = std::chrono::milliseconds(250);
constexpr std::size_t kMaxChanges = 100'000;  // that wait to be sent

constexpr std::size_t kMaxAttributeText = 1024;

struct RedriveRule {
  std::optional<std::int32_t> maxReceiveCount;
  std::string deadLetterTargetArn;
};
BOOST_DESCRIBE_STRUCT(RedriveRule, (), (maxReceiveCount, deadLetterTargetArn))

std::int32_t to_whole_seconds(base::Duration duration) {
  return static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(duration).count());
}

RedriveRule redrive_rule_of(const GetQueueAttributesResult& found) {
  if (!found.Attributes || !found.Attributes->contains("RedrivePolicy")) return {};
  RedriveRule rule;
  try {
    wire::read_json(wire::type_of<RedriveRule>(), found.Attributes->at("RedrivePolicy"), &rule);
  } catch (const wire::ApiError&) {
    return {};  // Amazon also accepts the count as a string
  }
  return rule;
}

// arn:aws:sqs:REGION:ACCOUNT:NAME
GetQueueUrlRequest queue_of_arn(const std::string& arn) {
  const std::size_t name = arn.rfind(':');
  const std::size_t account = name == arn.npos || name == 0 ? arn.npos : arn.rfind(':', name - 1);
  GetQueueUrlRequest request{.QueueName = arn.substr(name + 1)};
  if (account != arn.npos) request.QueueOwnerAWSAccountId = arn.substr(account + 1, name - account - 1);
  return request;
}

// Attributes have no empty values, and only some characters.
MessageAttributeValue attribute_text(const std::string& text) {
  MessageAttributeValue value;
  value.DataType = "String";
  value.StringValue = text.empty() ? "-" : base::to_printable(text.substr(0, kMaxAttributeText));
  return value;
}

// The message was deleted, or never belonged to this queue.
bool is_gone(const BatchResultErrorEntry& failed) {
  const std::string message = failed.Message.value_or("");
  return failed.Code.find("MessageNotInflight") != std::string::npos || failed.Code == "ReceiptHandleIsInvalid" ||
         message.find("does not exist") != std::string::npos;
}

}  // namespace

Queue::Queue(asio::any_io_executor executor, client::AsyncClient& client, std::string name_or_url)
    : client_(client), url_(std::move(name_or_url)), coroutines_(std::move(executor)) {}

asio::awaitable<void> Queue::open() {
  if (url_.find("://") == std::string::npos) {
    GetQueueUrlRequest request{.QueueName = url_};
    auto found = co_await client_.call<GetQueueUrlResult>(kSqs, "GetQueueUrl", std::move(request));
    url_ = found.QueueUrl.value_or(url_);
  }
  try {
    GetQueueAttributesRequest request{.QueueUrl = url_};
    request.AttributeNames = std::vector<std::string>{"RedrivePolicy"};
    auto found = co_await client_.call<GetQueueAttributesResult>(kSqs, "GetQueueAttributes", std::move(request));
    const RedriveRule rule = redrive_rule_of(found);
    max_receives_ = rule.maxReceiveCount;
    dead_letter_arn_ = rule.deadLetterTargetArn;
  } catch (const wire::ApiError& error) {
    if (error.code().find("QueueDoesNotExist") != std::string::npos || error.code().find("NonExistent") != std::string::npos) throw;
    // It is only needed to move a last failure to the dead-letter queue sooner.
    base::log_info("attributes of the queue not readable", {{"error", error.message()}});
  }
  coroutines_.spawn("remove", send_changes(Kind::Remove));
  coroutines_.spawn("release", send_changes(Kind::Release));
  coroutines_.spawn("bury", send_changes(Kind::Bury));
}

asio::awaitable<std::vector<shapes::sqs::Message>> Queue::receive(std::size_t most, base::Duration visibility) {
  ReceiveMessageRequest request{.QueueUrl = url_};
  request.MaxNumberOfMessages = static_cast<std::int32_t>(std::min(most, kSqsBatch));
  request.WaitTimeSeconds = kPollSeconds;
  request.VisibilityTimeout = to_whole_seconds(visibility);
  request.MessageSystemAttributeNames = std::vector<std::string>{"ApproximateReceiveCount"};
  auto reply = co_await client_.call<ReceiveMessageResult>(kSqs, "ReceiveMessage", std::move(request));
  std::vector<shapes::sqs::Message> messages;
  if (reply.Messages) messages = std::move(*reply.Messages);
  co_return messages;
}

asio::awaitable<std::vector<bool>> Queue::extend(std::vector<std::string> receipts, base::Duration visibility) {
  std::vector<bool> gone(receipts.size(), false);
  ChangeMessageVisibilityBatchRequest request{.QueueUrl = url_};
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    request.Entries.push_back({std::to_string(i), std::move(receipts[i]), to_whole_seconds(visibility)});
  }
  auto reply = co_await client_.call<ChangeMessageVisibilityBatchResult>(kSqs, "ChangeMessageVisibilityBatch",
                                                                         std::move(request));
  const auto failures = reply.Failed.value_or(std::vector<BatchResultErrorEntry>());
  for (const BatchResultErrorEntry& failed : failures) {
    const std::size_t index = static_cast<std::size_t>(std::atoi(failed.Id.c_str()));
    if (index < gone.size() && is_gone(failed)) gone[index] = true;
  }
  co_return gone;
}

void Queue::remove(std::string receipt) {
  if (removals_.size() < kMaxChanges) removals_.push_back({std::move(receipt)});
  changed_.notify();
}

void Queue::release(std::string receipt, base::Duration visible_after) {
  if (releases_.size() < kMaxChanges) releases_.push_back({std::move(receipt), to_whole_seconds(visible_after)});
  changed_.notify();
}

void Queue::bury(const Message& message, Failure failure) {
  if (burials_.size() < kMaxChanges) burials_.push_back({message.receipt, 0, 0, message.body, std::move(failure)});
  changed_.notify();
}

asio::awaitable<void> Queue::send_dead_letter(Change change) {
  if (dead_letter_url_.empty()) {
    GetQueueUrlRequest request = queue_of_arn(dead_letter_arn_);
    auto found = co_await client_.call<GetQueueUrlResult>(kSqs, "GetQueueUrl", std::move(request));
    dead_letter_url_ = found.QueueUrl.value_or("");
  }
  SendMessageRequest request{.QueueUrl = dead_letter_url_, .MessageBody = change.body};
  request.MessageAttributes.emplace();
  request.MessageAttributes->emplace("stoker-error-type", attribute_text(change.failure.type));
  request.MessageAttributes->emplace("stoker-error", attribute_text(change.failure.message));
  co_await client_.call<SendMessageResult>(kSqs, "SendMessage", std::move(request));
  remove(std::move(change.receipt));
}

asio::awaitable<void> Queue::send_batch(Kind kind, std::vector<Change> batch) {
  if (kind == Kind::Bury) {
    Change only = std::move(batch.front());
    co_await send_dead_letter(std::move(only));
  } else if (kind == Kind::Remove) {
    DeleteMessageBatchRequest request{.QueueUrl = url_};
    for (const Change& change : batch) {
      request.Entries.push_back({std::to_string(request.Entries.size()), change.receipt});
    }
    co_await client_.call<DeleteMessageBatchResult>(kSqs, "DeleteMessageBatch", std::move(request));
  } else {
    ChangeMessageVisibilityBatchRequest request{.QueueUrl = url_};
    for (const Change& change : batch) {
      request.Entries.push_back({std::to_string(request.Entries.size()), change.receipt, change.visible_after_s});
    }
    co_await client_.call<ChangeMessageVisibilityBatchResult>(kSqs, "ChangeMessageVisibilityBatch",
                                                              std::move(request));
  }
}

// A message that can't be removed or released is received again later; its result is then found.
asio::awaitable<void> Queue::send_changes(Kind kind) {
  std::deque<Change>& waiting = changes(kind);
  for (;;) {
    while (waiting.empty()) {
      co_await changed_.wait(http::kLongestWait);
    }
    // One dead letter after another, so that none is sent twice because the next one failed.
    const std::size_t count = std::min(waiting.size(), kind == Kind::Bury ? std::size_t{1} : kSqsBatch);
    std::vector<Change> batch(waiting.begin(), waiting.begin() + std::ptrdiff_t(count));
    waiting.erase(waiting.begin(), waiting.begin() + std::ptrdiff_t(count));
    ++sending_;
    bool failed = false;
    try {
      co_await send_batch(kind, batch);
    } catch (const std::exception& error) {
      failed = true;
      base::log_warn("messages not changed", {{"count", batch.size()}, {"error", error.what()}});
    }
    --sending_;
    for (Change& change : batch) {
      if (failed && ++change.attempts < kMaxAttempts) waiting.push_back(std::move(change));
    }
    changed_.notify();
    if (failed) co_await http::sleep_for(kAttemptPause * (1 << std::min(batch.front().attempts, 5)));
  }
}

asio::awaitable<void> Queue::flush() {
  while (!removals_.empty() || !releases_.empty() || !burials_.empty() || sending_ > 0) {
    co_await changed_.wait(http::kLongestWait);
  }
}

asio::awaitable<void> Queue::stop() {
  coroutines_.cancel();
  co_await coroutines_.ended();
}

}  // namespace worker
