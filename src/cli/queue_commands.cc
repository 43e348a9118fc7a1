// SPDX-License-Identifier: Apache-2.0
// stoker queue ls|peek|send|redrive|purge
#include <istream>
#include <ostream>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/profile.h"
#include "cli/queue_client.h"
#include "cli/table.h"
#include "shapes/sqs/message.h"

namespace cli {
namespace {

constexpr std::size_t kMostPrintedQueues = 100'000;
constexpr std::size_t kMaxMessage = 1024 * 1024;  // Amazon's limit

struct PrintedQueue {
  std::string name, url;
  std::int64_t visible = 0, inFlight = 0, delayed = 0;
  std::optional<std::int64_t> oldestSeconds;
};
BOOST_DESCRIBE_STRUCT(PrintedQueue, (), (name, url, visible, inFlight, delayed, oldestSeconds))
struct PrintedQueues {
  std::vector<PrintedQueue> queues;
};
BOOST_DESCRIBE_STRUCT(PrintedQueues, (), (queues))

struct PurgedQueue {
  std::string url;
};
BOOST_DESCRIBE_STRUCT(PurgedQueue, (), (url))

PrintedQueues list_queues(QueueClient& client) {
  const std::vector<std::string> urls = client.urls(kMostPrintedQueues);
  std::vector<QueueCounts> counts;
  for (const std::string& url : urls) counts.push_back(client.counts(url));
  client.add_ages(counts, base::SystemClock().now());
  PrintedQueues printed;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    printed.queues.push_back({counts[i].name, urls[i], counts[i].visible, counts[i].in_flight, counts[i].delayed,
                              counts[i].oldest_seconds});
  }
  return printed;
}

// All of standard input, without its last newline.
std::string read_message(std::istream& in) {
  std::string text;
  for (char c; text.size() <= kMaxMessage && in.get(c);) text += c;
  if (text.size() > kMaxMessage) throw std::runtime_error("the message on standard input is larger than 1 MiB");
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

int queue_list(const Options& options, std::ostream& out) {
  QueueClient client(read_profile(options));
  const PrintedQueues printed = list_queues(client);
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.queues.empty()) {
    out << "no queues in region " << options.region << '\n';
    return 0;
  }
  Rows rows{{"QUEUE", "VISIBLE", "IN FLIGHT", "DELAYED", "OLDEST"}};
  for (const PrintedQueue& queue : printed.queues) {
    const std::string age = queue.oldestSeconds ? brief_duration(std::chrono::seconds(*queue.oldestSeconds)) : "-";
    rows.push_back({queue.name, std::to_string(queue.visible), std::to_string(queue.inFlight), std::to_string(queue.delayed), age});
  }
  print_table(out, rows);
  return 0;
}

int queue_peek(const Options& options, const std::string& queue, int most, std::ostream& out) {
  QueueClient client(read_profile(options));
  const shapes::sqs::ReceiveMessageResult printed{client.peek(client.find(queue), most)};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  for (const auto& message : *printed.Messages) out << message.Body.value_or("") << '\n';
  return 0;
}

int queue_send(const Options& options, const QueueMessage& message, std::istream& in, std::ostream& out) {
  QueueClient client(read_profile(options));
  shapes::sqs::SendMessageRequest request;
  request.QueueUrl = client.find(message.queue);
  request.MessageBody = message.body == "-" ? read_message(in) : message.body;
  request.MessageGroupId = message.group;
  request.MessageDeduplicationId = message.deduplication_id;
  if (message.delay_seconds) request.DelaySeconds = *message.delay_seconds;
  const auto sent = client.send(request);
  if (options.json) {
    print_json(out, sent);
  } else {
    out << sent.MessageId.value_or("") << '\n';
  }
  return 0;
}

int queue_redrive(const Options& options, const std::string& queue, const std::optional<std::string>& to, std::ostream& out) {
  QueueClient client(read_profile(options));
  shapes::sqs::StartMessageMoveTaskRequest request;
  request.SourceArn = client.arn_of(client.find(queue));
  if (to) request.DestinationArn = client.arn_of(client.find(*to));
  const auto started = client.redrive(request);
  if (options.json) {
    print_json(out, started);
  } else {
    out << "moving the messages of " << queue << " to " << to.value_or("the queues that they came from") << '\n';
  }
  return 0;
}

int queue_purge(const Options& options, const std::string& queue, std::ostream& out) {
  QueueClient client(read_profile(options));
  const std::string url = client.find(queue);
  client.purge(url);
  if (options.json) {
    print_json(out, PurgedQueue{url});
  } else {
    out << "deleted all messages of " << queue << '\n';
  }
  return 0;
}

}  // namespace cli
