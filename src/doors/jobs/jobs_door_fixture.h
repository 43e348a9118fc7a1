// SPDX-License-Identifier: Apache-2.0
// Test support: the door over loopback, with S3 and pipelines behind it, and queues that only count.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "api/dispatch.h"
#include "api/registry.h"
#include "base/log.h"
#include "base/random.h"
#include "doors/jobs/jobs_door.h"
#include "http/raw_client.h"
#include "services/invoke.h"
#include "services/pipelines/module.h"
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/buckets/notification_operations.h"
#include "services/s3/module.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/job.h"
#include "shapes/stoker/pipeline_hooks.h"
#include "signing/sigv4.h"
#include "state/cluster.h"
#include "state/keys.h"
#include "store/test_store.h"
#include "webhooks/outbox.h"

namespace doors::jobs {

inline shapes::sqs::SendMessageResult count_message(services::Call&, const shapes::sqs::SendMessageRequest&) {
  return {.MessageId = base::random_uuid()};
}
inline void accept_message(services::Call&, const shapes::sqs::SendMessageRequest&) {}
inline void remove_nothing(services::Call&, const shapes::stoker::RemoveMessage&) {}
inline void prioritize_nothing(services::Call&, const shapes::stoker::PrioritizeMessage&) {}

class JobsDoorTest : public testing::Test {
 protected:
  JobsDoorTest() {
    base::set_log_level(base::LogLevel::Off);
    s3_.add_memory(locals_);
    for (const services::Module* module : {&s3_, &pipelines_}) {
      directory_.add(module->service.wire.name, module->service.operations);
      directory_.add(module->service.wire.name, module->internal_operations);
    }
    using services::Access;
    directory_.add("sqs", {services::operation<&count_message>("SendMessage", Access::Write),
                           services::operation<&accept_message>("CheckSendMessage", Access::Read),
                           services::operation<&remove_nothing>("RemoveMessage", Access::Write),
                           services::operation<&prioritize_nothing>("PrioritizeMessage", Access::Write)});
    store_->write_now([&](store::Tx& tx) { key_ = state::ensure_root_key(tx, "111122223333", clock_.now()); });
    secret_ = add_pipeline("ocr");
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~JobsDoorTest() override {
    engine_.drain();
    server_.drain();
    base::set_log_level(base::LogLevel::Info);
    disk_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void with_call(const std::function<void(services::s3::ObjectCall&)>& work) {
    services::Caller caller{.account = "111122223333", .region = "us-east-1", .endpoint = "http://h"};
    api::CallWakes wakes;
    store_->write_now([&](store::Tx& tx) {
      services::s3::ObjectCall call{engine_.call(tx, caller, clock_.now(), clock_.now())};
      work(call);
      wakes.if_committed = call.wakes;
    });
    engine_.committed(wakes.if_committed);
  }

  // A pipeline with its bucket and notification; returns a key of it.
  std::string add_pipeline(const std::string& name) {
    services::pipelines::Pipeline pipeline;
    pipeline.account = "111122223333";
    pipeline.region = "us-east-1";
    pipeline.name = name;
    pipeline.spec_json = "{}";
    pipeline.resources_json = "{}";
    pipeline.bucket = "stoker-" + name;
    pipeline.queue_arn = "arn:aws:sqs:us-east-1:111122223333:stoker-" + name;
    pipeline.failed_queue_arn = pipeline.queue_arn + "-failed";
    std::string secret;
    with_call([&](services::s3::ObjectCall& call) {
      services::pipelines::insert_pipeline(call.tx, pipeline);
      services::s3::create_bucket(call, {.Bucket = pipeline.bucket});
      services::s3::shape::QueueConfiguration events{.QueueArn = pipeline.queue_arn, .Events = {"s3:ObjectCreated:*"}};
      events.Filter = services::s3::shape::NotificationConfigurationFilter{
          .Key = services::s3::shape::S3KeyFilter{
              .FilterRules = {{services::s3::shape::FilterRule{.Name = "prefix", .Value = "in/"}}}}};
      services::s3::put_bucket_notification_configuration(
          call, {.Bucket = pipeline.bucket, .NotificationConfiguration = {.QueueConfigurations = {{std::move(events)}}}});
      secret = services::invoke<shapes::stoker::CreatePipelineKeyResponse>(
                   call, call.caller, "pipelines", "CreatePipelineKey",
                   shapes::stoker::CreatePipelineKeyRequest{.pipeline = name})
                   .secret;
    });
    return secret;
  }
  // The result of a job, as a worker writes it.
  void finish(const std::string& input_key, const std::string& result, const std::string& name = "ocr") {
    with_call([&](services::s3::ObjectCall& call) {
      shapes::stoker::ObjectCreated created;
      created.bucket = "stoker-" + name;
      created.key = "out/" + input_key.substr(3) + ".json";
      created.size = static_cast<std::int64_t>(result.size());
      created.content = result;
      services::invoke(call, call.caller, "pipelines", "ObjectCreated", created);
    });
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  std::string text_of(const std::string& method, const std::string& target, base::Headers headers = {},
                      const std::string& body = "") {
    headers.set("Host", host());
    if (!headers.find("Content-Length") && method != "GET") headers.add("Content-Length", std::to_string(body.size()));
    std::string text = method + " " + target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    return text + "\r\n" + body;
  }
  std::string send(const std::string& method, const std::string& target, base::Headers headers = {},
                   const std::string& body = "") {
    headers.set("Connection", "close");
    http::RawClient client(server_.port());
    client.send(text_of(method, target, std::move(headers), body));
    return client.read_to_end();
  }
  // With the key of the pipeline ocr.
  std::string ask(const std::string& method, const std::string& target, const std::string& body = "",
                  base::Headers headers = {}) {
    headers.set("Authorization", "Bearer " + secret_);
    return send(method, target, std::move(headers), body);
  }
  std::string ask_signed(const std::string& method, const std::string& target, const std::string& body = "",
                         const std::string& service = "pipelines", base::Headers headers = {}) {
    headers.set("Host", host());
    http::Request request{{method, target, std::move(headers)}, body};
    signing::sign(request, {key_.id, key_.secret, key_.session_token.value_or("")}, "us-east-1", service, clock_.now());
    return send(method, target, request.head.headers, body);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ + "/objects")) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    return names;
  }
  // Waits until the disk threads have kept and dropped their files.
  void settle() { disk_.reset(); }

  const std::string folder_ = testing::TempDir() + "jobs_door_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  services::Module s3_ = services::s3::module({});
  services::Module pipelines_ = services::pipelines::module({});
  std::unique_ptr<store::Store> store_ =
      store::open_test_store(folder_, {state::key_migrations(), state::cluster_migrations(), services::usage_migrations(), s3_.migrations,
                                       pipelines_.migrations, {"stoker", {webhooks::kTables}}});
  ::objects::Files files_{folder_ + "/objects"};
  std::unique_ptr<::objects::DiskThreads> disk_ = std::make_unique<::objects::DiskThreads>(2);
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  api::Registry registry_{{s3_.service, pipelines_.service}};
  api::Metrics metrics_{registry_.services()};
  api::RequestLog log_{metrics_};
  api::Authenticator authenticator_{engine_};
  JobsDoor jobs_{{engine_, authenticator_, log_, {&files_, disk_.get()}, true}};
  api::Dispatcher dispatcher_{{&jobs_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
  state::Key key_;
  std::string secret_;
};

}  // namespace doors::jobs
