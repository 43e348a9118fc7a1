// SPDX-License-Identifier: Apache-2.0
// Test support: SQS's handlers on a database of their own, at a time of the test's choosing.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "services/sqs/handlers.h"
#include "services/sqs/queue.h"
#include "services/sqs/schema.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::sqs {

class SqsTest : public testing::Test {
 protected:
  SqsTest() : folder_(testing::TempDir() + "sqs-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {migrations()});
  }
  ~SqsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Runs fn(call) in a transaction; what it woke and waits for is kept.
  template <class Fn>
  auto with_call(Fn&& fn) {
    using Result = std::invoke_result_t<Fn, Call&>;
    if constexpr (std::is_void_v<Result>) {
      store_->write_now([&](store::Tx& tx) {
        Call call{tx, caller_, now_, now_};
        fn(call);
        wait_ = call.wait;
        wakes_ = call.wakes;
      });
    } else {
      Result result;
      with_call([&](Call& call) { result = fn(call); });
      return result;
    }
  }

  std::string make_queue(const std::string& name, StringMap attributes = {}) {
    return *with_call([&](Call& call) { return create_queue(call, {name, attributes, {}}); }).QueueUrl;
  }
  SendMessageResult send(const std::string& url, const std::string& body) {
    return with_call([&](Call& call) { return send_message(call, {.QueueUrl = url, .MessageBody = body}); });
  }
  SendMessageResult send_to_group(const std::string& url, const std::string& body, const std::string& group) {
    SendMessageRequest request{.QueueUrl = url, .MessageBody = body};
    request.MessageGroupId = group;
    request.MessageDeduplicationId = base::random_uuid();
    return with_call([&](Call& call) { return send_message(call, request); });
  }
  std::vector<Message> receive(const std::string& url, std::int32_t most = 10, std::int32_t visibility_s = 30) {
    ReceiveMessageRequest request{.QueueUrl = url};
    request.MaxNumberOfMessages = most;
    request.VisibilityTimeout = visibility_s;
    request.AttributeNames = {"All"};
    return receive(request);
  }
  std::vector<Message> receive(const ReceiveMessageRequest& request) {
    auto result = with_call([&](Call& call) { return receive_message(call, request); });
    return result.Messages.value_or(std::vector<Message>());
  }
  std::vector<std::string> receive_bodies(const std::string& url, std::int32_t most = 10,
                                          std::int32_t visibility_s = 30) {
    std::vector<std::string> bodies;
    for (const Message& message : receive(url, most, visibility_s)) bodies.push_back(*message.Body);
    return bodies;
  }
  void remove(const std::string& url, const Message& message) {
    with_call([&](Call& call) { delete_message(call, {url, *message.ReceiptHandle}); });
  }
  StringMap attributes(const std::string& url) {
    GetQueueAttributesRequest request{url, std::vector<std::string>{"All"}};
    return *with_call([&](Call& call) { return get_queue_attributes(call, request); }).Attributes;
  }
  // "visible/in flight/delayed"
  std::string counts(const std::string& url) {
    StringMap all = attributes(url);
    return all["ApproximateNumberOfMessages"] + "/" + all["ApproximateNumberOfMessagesNotVisible"] + "/" +
           all["ApproximateNumberOfMessagesDelayed"];
  }
  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }

  void advance(base::Duration duration) { now_ += duration; }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::optional<Wait> wait_;
  std::vector<Wake> wakes_;
};

}  // namespace services::sqs
