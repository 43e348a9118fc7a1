// SPDX-License-Identifier: Apache-2.0
// For tests: a queue and a bucket in memory, on loopback, with S3's conditions; and a worker that uses them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/server.h"
#include "http/signal.h"
#include "worker/worker.h"

namespace worker {

struct FakeObject {
  std::string body;
  std::map<std::string, std::string> headers;  // its metadata, by their whole names
  std::string etag() const { return "\"" + base::to_hex(base::md5(body + headers_text())) + "\""; }
  std::string headers_text() const {
    std::string text;
    for (const auto& [name, value] : headers) text += name + value;
    return text;
  }
};

class FakeAws : public testing::Test {
 protected:
  struct State {
    std::deque<std::string> waiting;  // bodies of messages
    std::map<std::string, int> receives;
    std::vector<std::string> deleted, extended;
    std::vector<std::pair<std::string, std::int64_t>> released;  // with the seconds until they are visible
    std::vector<std::string> gone;                               // whose visibility can't be changed
    std::map<std::string, FakeObject> objects;                   // by "/bucket/key"
    std::vector<std::string> calls;                              // "ReceiveMessage", "PUT /bucket/key"
    std::vector<std::string> bodies;                             // of those calls
    std::function<void(State&, const std::string& call)> before;  // changes the state before a call
    std::map<std::string, int> failing;                          // call -> how many more times it answers 503
  };

  FakeAws() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
    settings_.endpoint = "http://127.0.0.1:" + std::to_string(server_.port());
    settings_.key = signing::Credentials{"AKIATEST", "secret", ""};
    std::filesystem::create_directories(folder_);
    options_.queue = "http://queue/000000000000/q";
    options_.work_folder = folder_;
    options_.backoff = std::chrono::seconds(3);
  }
  ~FakeAws() override {
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  // What the state is at the moment.
  template <class F>
  auto with(F&& f) {
    std::lock_guard lock(mutex_);
    return f(state_);
  }

  static std::string event(const std::string& key, const std::string& sequencer = "0055AED6DCD90281E5") {
    return R"({"Records":[)" + record(key, sequencer) + "]}";
  }
  static std::string record(const std::string& key, const std::string& sequencer) {
    return R"({"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"bucket"},"object":{"key":")" +
           key + R"(","sequencer":")" + sequencer + "\"}}}";
  }

  void put(const std::string& key, const std::string& body, std::map<std::string, std::string> headers = {}) {
    with([&](State& state) { state.objects["/bucket/" + key] = {body, std::move(headers)}; });
  }
  void send(std::string body) {
    with([&](State& state) { state.waiting.push_back(std::move(body)); });
    wake_polls();
  }
  // An input and its message.
  void submit(const std::string& name, const std::string& body) {
    put("in/" + name, body);
    send(event("in/" + name));
  }
  std::string object(const std::string& key) {
    return with([&](State& state) {
      const auto found = state.objects.find("/bucket/" + key);
      return found == state.objects.end() ? std::string("(none)") : found->second.body;
    });
  }

  // Works until `done` holds, and drains.
  void work_until(std::function<bool(const State&)> done) {
    start();
    wait_until(std::move(done));
    stop();
  }
  void start() {
    ended_ = boost::asio::co_spawn(io_.at(0), run_worker(), boost::asio::use_future);
  }
  void wait_until(std::function<bool(const State&)> done) {
    std::unique_lock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done(state_)) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "nothing happened";
      // Calls are notified. What commands do (files, their ends) is not.
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
  }
  void stop() {
    boost::asio::post(io_.at(0), [this] {
      if (worker_) worker_->drain();
    });
    ended_.get();
    wake_polls();
  }

  static std::function<bool(const State&)> deletes(std::size_t count) {
    return [count](const State& state) { return state.deleted.size() >= count; };
  }
  static std::function<bool(const State&)> releases(std::size_t count) {
    return [count](const State& state) { return state.released.size() >= count; };
  }

  Options options_;
  client::Settings settings_;
  std::string folder_ = testing::TempDir() + "worker_" + base::to_hex(base::sha256(std::to_string(::getpid()))).substr(0, 8) +
                        std::to_string(reinterpret_cast<std::uintptr_t>(this));

 private:
  // Long polls run on the thread of the server.
  void wake_polls() {
    boost::asio::post(server_io_.at(0), [this] { sent_.notify(); });
  }

  boost::asio::awaitable<void> run_worker() {
    Worker worker(io_, options_, settings_, {"arn:task", "box-a"});
    worker_ = &worker;
    co_await worker.run();
    worker_ = nullptr;
  }

  static std::string text(const boost::json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
  }

  // One message per call; "wait" where there is none.
  std::optional<std::string> receive() {
    return with([&](State& state) -> std::optional<std::string> {
      if (state.waiting.empty()) return std::nullopt;
      const std::string body = state.waiting.front();
      state.waiting.pop_front();
      boost::json::object attributes{{"ApproximateReceiveCount", std::to_string(++state.receives[body])}};
      boost::json::object message{{"MessageId", "m"}, {"ReceiptHandle", body}, {"Body", body}, {"Attributes", attributes}};
      return boost::json::serialize(boost::json::object{{"Messages", boost::json::array{message}}});
    });
  }

  std::string change(State& state, const std::string& operation, const boost::json::object& request) {
    boost::json::array ok, failed;
    for (const boost::json::value& value : request.at("Entries").as_array()) {
      const boost::json::object& entry = value.as_object();
      const std::string handle = text(entry, "ReceiptHandle"), id = text(entry, "Id");
      if (operation == "DeleteMessageBatch") {
        state.deleted.push_back(handle);
      } else if (std::ranges::count(state.gone, handle)) {
        failed.push_back(boost::json::object{
            {"Id", id}, {"SenderFault", true}, {"Code", "InvalidParameterValue"},
            {"Message", "Reason: Message does not exist or is not available for visibility timeout change."}});
        continue;
      } else if (entry.at("VisibilityTimeout").as_int64() == options_.visibility / std::chrono::seconds(1)) {
        state.extended.push_back(handle);
      } else {
        state.released.emplace_back(handle, entry.at("VisibilityTimeout").as_int64());
      }
      ok.push_back(boost::json::object{{"Id", id}});
    }
    return boost::json::serialize(boost::json::object{{"Successful", ok}, {"Failed", failed}});
  }

  http::Response rpc(const std::string& operation, const std::string& body) {
    const boost::json::object request = boost::json::parse(body).as_object();
    http::Response response;
    if (operation == "GetQueueAttributes") {
      response.body = R"({"Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",)"
                      R"(\"maxReceiveCount\":3}"}})";
    } else if (operation == "GetQueueUrl") {
      response.body = R"({"QueueUrl":"http://queue/000000000000/)" + text(request, "QueueName") + "\"}";
    } else if (operation == "DeleteMessageBatch" || operation == "ChangeMessageVisibilityBatch") {
      response.body = with([&](State& state) { return change(state, operation, request); });
    } else {
      response.body = "{}";
    }
    return response;
  }

  static http::Response s3_error(int status, const std::string& code) {
    return {status, {}, "<Error><Code>" + code + "</Code><Message>" + code + "!</Message></Error>"};
  }

  http::Response put_object(State& state, const http::RequestHead& head, const std::string& key, std::string body) {
    const auto found = state.objects.find(key);
    const bool exists = found != state.objects.end();
    if (head.headers.get("If-None-Match") == "*" && exists) return s3_error(412, "PreconditionFailed");
    if (const std::string* match = head.headers.find("If-Match")) {
      if (!exists) return s3_error(404, "NoSuchKey");
      if (*match != found->second.etag()) return s3_error(412, "PreconditionFailed");
    }
    FakeObject object{std::move(body), {}};
    for (const auto& [name, value] : head.headers) {
      if (base::to_lower(name).starts_with("x-amz-meta-")) object.headers[base::to_lower(name)] = value;
    }
    state.objects[key] = std::move(object);
    return {};
  }

  http::Response s3(const http::RequestHead& head, std::string body) {
    const std::string key = base::percent_decode(head.path()).value_or("");
    return with([&](State& state) -> http::Response {
      if (head.method == "PUT") return put_object(state, head, key, std::move(body));
      const auto found = state.objects.find(key);
      if (found == state.objects.end()) return s3_error(404, "NoSuchKey");
      http::Response response;
      response.headers.add("ETag", found->second.etag());
      response.headers.add("Content-Type", "text/plain");
      for (const auto& [name, value] : found->second.headers) response.headers.add(name, value);
      if (head.method == "GET") response.body = found->second.body;
      return response;
    });
  }

  // Whether the call fails.
  bool note(const std::string& call, const std::string& body) {
    return with([&](State& state) {
      state.calls.push_back(call);
      state.bodies.push_back(body);
      if (state.before) state.before(state, call);
      const auto failing = state.failing.find(call);
      return failing != state.failing.end() && failing->second-- > 0;
    });
  }

  static boost::asio::awaitable<http::Response> serve(FakeAws& self, http::Exchange& exchange) {
    std::string body = co_await exchange.read_body(128 * 1024 * 1024);
    const http::RequestHead& head = exchange.head();
    const std::string* target = head.headers.find("X-Amz-Target");
    const std::string operation = target ? target->substr(target->rfind('.') + 1) : "";
    const std::string call = target ? operation : head.method + " " + base::percent_decode(head.path()).value_or("");
    const bool fails = self.note(call, body);
    http::Response response = fails ? s3_error(503, "SlowDown") : http::Response{};
    if (!fails && operation == "ReceiveMessage") {
      std::optional<std::string> received = self.receive();
      if (!received) {
        co_await self.sent_.wait(http::kLongestWait);
        received = self.receive();
      }
      response.body = received.value_or("{}");
    } else if (!fails && target) {
      response = self.rpc(operation, body);
    } else if (!fails) {
      response = self.s3(head, std::move(body));
    }
    self.changed_.notify_all();
    co_return response;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_;
  Worker* worker_ = nullptr;  // of the thread of io_
  std::future<void> ended_;
  http::IoThreads io_{1};
  http::Signal sent_;  // of the thread of server_io_
  http::IoThreads server_io_{1};
  http::Server server_{server_io_, [this](http::Exchange& exchange) { return serve(*this, exchange); }};
};

}  // namespace worker
