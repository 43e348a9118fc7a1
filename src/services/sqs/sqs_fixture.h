// SPDX-License-Identifier: Apache-2.0
// Test support: SQS's operations on a database of their own, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "services/sqs/module.h"
#include "services/sqs/queue.h"
#include "services/usage_check.h"
#include "shapes/sqs/message.h"
#include "shapes/sqs/message_batch.h"
#include "shapes/sqs/move_task.h"
#include "shapes/sqs/permission.h"
#include "shapes/sqs/queue.h"
#include "shapes/sqs/tag.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::sqs {

using namespace shapes::sqs;

// An operation as a function: create_queue(call, {.QueueName = "q"}).
template <class Output, class Input>
struct Handler {
  std::string_view name;

  Output operator()(Call& call, const Input& input) const {
    static const Module sqs = module({});
    const auto& rows = sqs.service.operations;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    CHECK(row != rows.end() && row->wire.input == &wire::type_of<Input>()) << name;
    const Erased output = row->run(call, &input);
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }
};

inline constexpr Handler<void, AddPermissionRequest> add_permission{"AddPermission"};
inline constexpr Handler<CancelMessageMoveTaskResult, CancelMessageMoveTaskRequest> cancel_message_move_task{
    "CancelMessageMoveTask"};
inline constexpr Handler<void, ChangeMessageVisibilityRequest> change_message_visibility{"ChangeMessageVisibility"};
inline constexpr Handler<ChangeMessageVisibilityBatchResult, ChangeMessageVisibilityBatchRequest>
    change_message_visibility_batch{"ChangeMessageVisibilityBatch"};
inline constexpr Handler<CreateQueueResult, CreateQueueRequest> create_queue{"CreateQueue"};
inline constexpr Handler<void, DeleteMessageRequest> delete_message{"DeleteMessage"};
inline constexpr Handler<DeleteMessageBatchResult, DeleteMessageBatchRequest> delete_message_batch{
    "DeleteMessageBatch"};
inline constexpr Handler<void, DeleteQueueRequest> delete_queue{"DeleteQueue"};
inline constexpr Handler<GetQueueAttributesResult, GetQueueAttributesRequest> get_queue_attributes{
    "GetQueueAttributes"};
inline constexpr Handler<ListMessageMoveTasksResult, ListMessageMoveTasksRequest> list_message_move_tasks{
    "ListMessageMoveTasks"};
inline constexpr Handler<ListQueuesResult, ListQueuesRequest> list_queues{"ListQueues"};
inline constexpr Handler<void, PurgeQueueRequest> purge_queue{"PurgeQueue"};
inline constexpr Handler<ReceiveMessageResult, ReceiveMessageRequest> receive_message{"ReceiveMessage"};
inline constexpr Handler<void, RemovePermissionRequest> remove_permission{"RemovePermission"};
inline constexpr Handler<SendMessageResult, SendMessageRequest> send_message{"SendMessage"};
inline constexpr Handler<SendMessageBatchResult, SendMessageBatchRequest> send_message_batch{"SendMessageBatch"};
inline constexpr Handler<void, SetQueueAttributesRequest> set_queue_attributes{"SetQueueAttributes"};
inline constexpr Handler<StartMessageMoveTaskResult, StartMessageMoveTaskRequest> start_message_move_task{
    "StartMessageMoveTask"};

class SqsTest : public testing::Test {
 protected:
  SqsTest() : folder_(testing::TempDir() + "sqs-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {usage_migrations(), module_.migrations});
    module_.add_memory(locals_);
  }
  ~SqsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // After every test.
  void TearDown() override { expect_exact_usage(*store_, module_.migrations); }

  // Runs fn(call) in a transaction, and records its wakes and its wait.
  template <class Fn>
  auto with_call(Fn&& fn) {
    using Result = std::invoke_result_t<Fn, Call&>;
    if constexpr (std::is_void_v<Result>) {
      store_->write_now([&](store::Tx& tx) {
        Call call{tx, caller_, now_, now_, &locals_};
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

  // The wakes of the last call, as "topic x most".
  std::vector<std::string> wakes() const {
    std::vector<std::string> all;
    for (const Wake& wake : wakes_) {
      all.push_back(wake.topic + " x " + (wake.most == Wake::kAll ? "all" : std::to_string(wake.most)));
    }
    return all;
  }

  // One turn of a loop: it looks on a snapshot and applies its decision, if there is one. When the next is due.
  std::optional<base::Time> take_turn(const std::string& name) {
    auto loop = std::find_if(module_.loops.begin(), module_.loops.end(), [&](const Loop& l) { return l.name == name; });
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_};
      decision = loop->look(call);
      EXPECT_TRUE(call.wakes.empty());
    });
    wakes_.clear();
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  // Until there is nothing to delete: then the loop pauses for seconds.
  void sweep_all() {
    for (int turn = 0; turn < 1000; ++turn) {
      if (*take_turn("sqs sweep") >= now_ + std::chrono::seconds(1)) return;
    }
    FAIL() << "the sweep does not end";
  }
  std::int64_t count_rows(const std::string& table) {
    return with_call([&](Call& call) { return call.tx.query("SELECT count(*) FROM " + table).integer(); });
  }

  void advance(base::Duration duration) { now_ += duration; }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  Locals locals_;
  const Caller nobody_;  // whose loops run
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::optional<Wait> wait_;
  std::vector<Wake> wakes_;
};

}  // namespace services::sqs
