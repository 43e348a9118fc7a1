// SPDX-License-Identifier: Apache-2.0
// Test support: S3's handlers on a database of their own, with a clock and queues that the test controls. It records
// wakes and published events.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/buckets/bucket_settings.h"
#include "services/s3/buckets/notification_operations.h"
#include "services/s3/fake_queues.h"
#include "services/s3/module.h"
#include "services/s3/objects/object_row.h"
#include "services/usage_check.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::s3 {

class S3Test : public testing::Test {
 protected:
  S3Test() : folder_(testing::TempDir() + "s3-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {usage_migrations(), module_.migrations});
    module_.add_memory(locals_);
  }
  ~S3Test() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // After every test.
  void TearDown() override { expect_exact_usage(*store_, module_.migrations); }

  // Runs fn(call) in a transaction, and records its wakes and status.
  template <class Fn>
  auto with_call(Fn&& fn) {
    using Result = std::invoke_result_t<Fn, ObjectCall&>;
    if constexpr (std::is_void_v<Result>) {
      store_->write_now([&](store::Tx& tx) {
        ObjectCall call{Call{tx, caller_, now_, now_, &locals_, &directory_}};
        fn(call);
        wakes_ = call.wakes;
        status_ = call.status;
      });
    } else {
      Result result;
      with_call([&](ObjectCall& call) { result = fn(call); });
      return result;
    }
  }

  // run(&head_bucket, {.Bucket = "b"})
  template <class Out, class AnyCall, class In>
  Out run(Out (*handler)(AnyCall&, const In&), const std::type_identity_t<In>& input) {
    return with_call([&](AnyCall& call) { return handler(call, input); });
  }

  // The same for a handler that only reads, on a snapshot.
  template <class Out, class In>
  Out read(Out (*handler)(Call&, const In&), const std::type_identity_t<In>& input) {
    Out result;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      result = handler(call, input);
    });
    return result;
  }

  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      error_ = error;
      return error.code();
    }
    return "";
  }
  template <class Out, class AnyCall, class In>
  std::string error_of(Out (*handler)(AnyCall&, const In&), const std::type_identity_t<In>& input) {
    return error_of([&] { run(handler, input); });
  }
  // Of the last error.
  std::string message() const { return error_.message(); }
  std::string detail(const std::string& name) const {
    for (const auto& [key, value] : error_.details()) {
      if (key == name) return value;
    }
    return "";
  }

  std::string make_bucket(const std::string& name = "bucket") {
    run(&create_bucket, {.Bucket = name});
    return name;
  }
  Bucket bucket(const std::string& name = "bucket") {
    return *with_call([&](Call& call) { return load_bucket(call.tx, name); });
  }
  void version(const std::string& status, const std::string& name = "bucket") {
    run(&put_bucket_versioning, {.Bucket = name, .VersioningConfiguration = {.Status = status}});
  }

  // Inserts a version of this size, without bytes.
  Object put(const std::string& key, const std::string& name = "bucket", std::int64_t size = 3, Tags tags = {}) {
    return with_call([&](Call& call) {
      const Bucket bucket = *load_bucket(call.tx, name);
      Object object;
      object.key = key;
      object.modified_at = now_;
      object.size = size;
      object.etag = "900150983cd24fb0d6963f7d28e17f72";
      object.tags = std::move(tags);
      put_version(call, bucket, load_latest_summary(call.tx, bucket, key), object);
      return object;
    });
  }
  Deleted remove(const std::string& key, const std::string& name = "bucket") {
    return with_call([&](Call& call) { return delete_latest(call, *load_bucket(call.tx, name), key); });
  }

  // Sends all events of the bucket to one queue.
  void subscribe(const std::string& name = "bucket") {
    const std::string queue = "arn:aws:sqs:us-east-1:111111111111:events";
    queues_.insert(queue);
    shape::QueueConfiguration all{.QueueArn = queue,
                                  .Events = {"s3:ObjectCreated:*", "s3:ObjectRemoved:*", "s3:ObjectTagging:*",
                                             "s3:LifecycleExpiration:*"}};
    run(&put_bucket_notification_configuration,
        {.Bucket = name, .NotificationConfiguration = {.QueueConfigurations = {{std::move(all)}}}});
    sent_.clear();
  }
  // "ObjectCreated:Put key" for each event that was sent since the last call.
  std::vector<std::string> published() {
    std::vector<std::string> events;
    auto member = [](const std::string& body, const std::string& name) {
      const std::size_t begin = body.find("\"" + name + "\":\"") + name.size() + 4;
      return body.substr(begin, body.find('"', begin) - begin);
    };
    for (const auto& [queue, body] : sent_) events.push_back(member(body, "eventName") + " " + member(body, "key"));
    sent_.clear();
    return events;
  }
  // Whether the last call woke this topic.
  bool woke(std::string_view topic) const {
    return std::any_of(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  }

  void advance(base::Duration duration) { now_ += duration; }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  Locals locals_;
  const Directory directory_ = fake_queue_directory();
  FakeQueues& fake_queues_ = locals_.add<FakeQueues>();
  std::set<std::string>&queues_ = fake_queues_.queues, &denied_ = fake_queues_.denied;
  std::vector<std::pair<std::string, std::string>>& sent_ = fake_queues_.sent;
  std::vector<Caller>& senders_ = fake_queues_.senders;
  Caller caller_{.account = "111111111111",
                 .access_key = {},
                 .region = "us-east-1",
                 .endpoint = "http://localhost:4566",
                 .request_id = "REQUEST1",
                 .address = "10.0.0.9"};
  base::Time now_ = base::from_seconds(1800000000);  // 2027-01-15 08:00
  std::vector<Wake> wakes_;
  std::optional<int> status_;
  wire::ApiError error_{"", ""};
};

}  // namespace services::s3
