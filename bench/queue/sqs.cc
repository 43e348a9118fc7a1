// SPDX-License-Identifier: Apache-2.0
#include "sqs.h"

#include <optional>
#include <stdexcept>
#include <vector>

#include "support/answer.h"

namespace bench {
namespace {

using Requests = std::shared_ptr<SqsQueue::Requests>;

std::vector<std::string> read_handles(std::string_view body) {
  constexpr std::string_view kName = "\"ReceiptHandle\":\"";
  std::vector<std::string> handles;
  for (std::size_t at = body.find(kName); at != body.npos; at = body.find(kName, at)) {
    at += kName.size();
    handles.emplace_back(body.substr(at, body.find('"', at) - at));
  }
  return handles;
}

void append_send(SqsQueue::Requests& requests, std::string& out) {
  requests.send.append(requests.queue_url + ",\"MessageBody\":\"" + message_body(requests.sent++) + "\"}", out);
}

void append_send_batch(SqsQueue::Requests& requests, std::string& out) {
  std::string body = requests.queue_url + ",\"Entries\":[";
  for (int i = 0; i < kBatch; ++i) {
    body.append(i ? ",{\"Id\":\"" : "{\"Id\":\"").append(std::to_string(i));
    body.append("\",\"MessageBody\":\"").append(message_body(requests.sent++)).append("\"}");
  }
  requests.send_batch.append(body + "]}", out);
}

void append_receive(SqsQueue::Requests& requests, int most, std::string& out) {
  requests.receive.append(requests.queue_url + ",\"MaxNumberOfMessages\":" + std::to_string(most) + "}", out);
}

void append_remove(SqsQueue::Requests& requests, const std::string& handle, std::string& out) {
  requests.remove.append(requests.queue_url + ",\"ReceiptHandle\":\"" + handle + "\"}", out);
}

void append_remove_batch(SqsQueue::Requests& requests, const std::vector<std::string>& handles, std::string& out) {
  std::string body = requests.queue_url + ",\"Entries\":[";
  for (std::size_t i = 0; i < handles.size(); ++i) {
    body.append(i ? ",{\"Id\":\"" : "{\"Id\":\"").append(std::to_string(i));
    body.append("\",\"ReceiptHandle\":\"").append(handles[i]).append("\"}");
  }
  requests.remove_batch.append(body + "]}", out);
}

class Sender : public Conversation {
 public:
  explicit Sender(Requests requests) : requests_(std::move(requests)) {}
  bool say(std::string& out) override {
    append_send(*requests_, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    const bool whole = answer.size > 0;
    return {answer.size, whole, whole, 1};
  }

 private:
  Requests requests_;
};

class BatchSender : public Conversation {
 public:
  BatchSender(Requests requests, std::int64_t* left) : requests_(std::move(requests)), left_(left) {}
  bool say(std::string& out) override {
    if (left_ && *left_ <= 0) return false;
    if (left_) *left_ -= kBatch;
    append_send_batch(*requests_, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.body.find("\"Failed\":[{") != answer.body.npos) {
      throw std::runtime_error("a batch failed: " + std::string(answer.body));
    }
    const bool whole = answer.size > 0;
    return {answer.size, whole, whole, kBatch};
  }

 private:
  Requests requests_;
  std::int64_t* left_;
};

class Receiver : public Conversation {
 public:
  Receiver(Requests requests, int most) : requests_(std::move(requests)), most_(most) {}
  bool say(std::string& out) override {
    if (empty_) return false;
    append_receive(*requests_, most_, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    const int got = static_cast<int>(read_handles(answer.body).size());
    empty_ = got == 0;
    return {answer.size, true, got > 0, got};
  }

 private:
  Requests requests_;
  int most_;
  bool empty_ = false;
};

class Drainer : public Conversation {
 public:
  explicit Drainer(Requests requests) : requests_(std::move(requests)) {}
  bool say(std::string& out) override {
    if (empty_) return false;
    if (handles_.empty()) {
      append_receive(*requests_, kBatch, out);
    } else {
      append_remove_batch(*requests_, handles_, out);
    }
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    if (!handles_.empty()) {
      const int deleted = static_cast<int>(handles_.size());
      handles_.clear();
      return {answer.size, true, true, deleted};
    }
    handles_ = read_handles(answer.body);
    empty_ = handles_.empty();
    return {answer.size, true, false, 0};
  }

 private:
  Requests requests_;
  std::vector<std::string> handles_;
  bool empty_ = false;
};

class Cycler : public Conversation {
 public:
  explicit Cycler(Requests requests) : requests_(std::move(requests)) {}
  bool say(std::string& out) override {
    switch (step_) {
      case Step::Send: append_send(*requests_, out); break;
      case Step::Receive: append_receive(*requests_, 1, out); break;
      case Step::Delete: append_remove(*requests_, handle_, out); break;
    }
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    if (step_ == Step::Send) {
      step_ = Step::Receive;
    } else if (step_ == Step::Delete) {
      step_ = Step::Send;
      return {answer.size, true, true, 1};
    } else if (auto handles = read_handles(answer.body); !handles.empty()) {
      handle_ = std::move(handles.front());
      step_ = Step::Delete;
    }
    return {answer.size, true, false, 0};  // an empty receive is repeated
  }

 private:
  enum class Step { Send, Receive, Delete };
  Requests requests_;
  Step step_ = Step::Send;
  std::string handle_;
};

class Creator : public Conversation {
 public:
  Creator(const Endpoint& endpoint, const std::string& name)
      : request_(endpoint, "AmazonSQS.CreateQueue"), name_(name) {}
  bool say(std::string& out) override {
    if (said_) return false;
    request_.append("{\"QueueName\":\"" + name_ + "\"}", out);
    return said_ = true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    return {answer.size, answer.size > 0, true, 0};
  }

 private:
  SignedRequest request_;
  std::string name_;
  bool said_ = false;
};

}  // namespace

std::string message_body(std::uint64_t number) {
  std::string body = "message " + std::to_string(number) + " ";
  body.resize(kBodyBytes, 'x');
  return body;
}

SqsQueue::Requests::Requests(const Endpoint& endpoint, const std::string& name)
    : port(endpoint.port),
      queue_url("{\"QueueUrl\":\"http://" + endpoint.host() + "/000000000000/" + name + "\""),
      send(endpoint, "AmazonSQS.SendMessage"),
      send_batch(endpoint, "AmazonSQS.SendMessageBatch"),
      receive(endpoint, "AmazonSQS.ReceiveMessage"),
      remove(endpoint, "AmazonSQS.DeleteMessage"),
      remove_batch(endpoint, "AmazonSQS.DeleteMessageBatch") {}

SqsQueue::SqsQueue(const Endpoint& endpoint, const std::string& name) : SqsQueue(unmade(endpoint, name)) {
  run_alone(connect_to(endpoint.port), std::make_unique<Creator>(endpoint, name));
}

SqsQueue SqsQueue::unmade(const Endpoint& endpoint, const std::string& name) {
  return SqsQueue(std::make_shared<Requests>(endpoint, name));
}

std::unique_ptr<Conversation> SqsQueue::sender() { return std::make_unique<Sender>(requests_); }
std::unique_ptr<Conversation> SqsQueue::batch_sender(std::int64_t* left) {
  return std::make_unique<BatchSender>(requests_, left);
}
std::unique_ptr<Conversation> SqsQueue::receiver(int most) { return std::make_unique<Receiver>(requests_, most); }
std::unique_ptr<Conversation> SqsQueue::drainer() { return std::make_unique<Drainer>(requests_); }
std::unique_ptr<Conversation> SqsQueue::cycler() { return std::make_unique<Cycler>(requests_); }

void fill(SqsQueue& queue, std::int64_t messages) {
  constexpr int kConnections = 32;
  std::vector<Connection> connections;
  for (int i = 0; i < kConnections; ++i) {
    connections.emplace_back(connect_to(queue.port()), queue.batch_sender(&messages));
  }
  run_load(connections, Seconds(0), Seconds(3600));
}

}  // namespace bench
