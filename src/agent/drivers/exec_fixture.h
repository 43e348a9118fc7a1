// SPDX-License-Identifier: Apache-2.0
// For tests of commands in containers: a running container of either driver, and calls of its streams.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/docker_fixture.h"
#include "agent/drivers/exec.h"
#include "agent/drivers/process_fixture.h"
#include "agent/drivers/process_state.h"
#include "http/block_on.h"
#include "http/io_threads.h"

namespace agent::drivers {

// Runs until it is stopped, and for ten minutes at most: longer than a test on a busy machine.
inline constexpr char kContainerRunsOn[] = "i=0; while [ $i -lt 6000 ]; do sleep 0.1; i=$((i+1)); done";

inline boost::asio::awaitable<bool> destroy_stream(std::unique_ptr<ExecStream>& stream) {
  stream.reset();
  co_return true;
}

// Everything up to the end of the output, or until it contains `until`.
struct ExecText {
  std::string out, err;
  bool over = false;
};
inline boost::asio::awaitable<ExecText> read_text_until(ExecStream& stream, std::string until) {
  ExecText text;
  while (until.empty() || text.out.find(until) == text.out.npos) {
    ExecOutput output = co_await stream.read();
    if (output.source == ExecSource::Stdout) text.out += output.bytes;
    if (output.source == ExecSource::Stderr) text.err += output.bytes;
    text.over = output.source == ExecSource::End;
    if (text.over) break;
  }
  co_return text;
}

inline boost::asio::awaitable<bool> done(boost::asio::awaitable<void> call) {
  co_await std::move(call);
  co_return true;
}

class ProcessWorld : public ProcessFixture {
 protected:
  std::string start_container(const std::string& script) {
    ContainerSpec container = shell(script);
    container.container.environment["GREETING"] = "hello";
    return start(std::move(container));
  }
  void stop_container(const std::string& id) { EXPECT_TRUE(run(driver_->stop(id, base::Duration(0)))); }
};

class DockerWorld : public DockerTest {
 protected:
  std::string start_container(const std::string& script) {
    ContainerSpec container = shell("main", script);
    container.container.environment["GREETING"] = "hello";
    return start(container);
  }
  void stop_container(const std::string& id) { EXPECT_TRUE(run(driver_->stop(id, base::Duration(0)))); }
};

// Makes the waiting of one fixture available to both.
struct Waiting : DockerTest {
  using DockerTest::eventually;
};

template <class World>
class ExecTest : public World {
 protected:
  void TearDown() override {
    for (auto& stream : streams_) call(destroy_stream(stream));
    World::TearDown();
  }

  template <class T>
  T call(boost::asio::awaitable<T> work) {
    return http::block_on(threads_.at(0), std::move(work));
  }
  void finish(boost::asio::awaitable<void> work) { call(done(std::move(work))); }

  static ExecRequest command(std::vector<std::string> words) {
    ExecRequest request;
    request.command = std::move(words);
    return request;
  }
  static ExecRequest script(const std::string& text) { return command({"sh", "-c", text}); }
  static ExecRequest terminal(const std::string& text) {
    ExecRequest request = script(text);
    request.terminal = request.input = true;
    request.rows = 24;
    request.columns = 80;
    return request;
  }

  // It is destroyed after the test.
  ExecStream& open(const std::string& id, ExecRequest request) {
    auto stream = call(this->driver_->exec(id, std::move(request)));
    EXPECT_TRUE(stream) << stream.error();
    if (!stream) throw std::runtime_error(stream.error());
    streams_.push_back(std::move(*stream));
    return *streams_.back();
  }
  std::string open_error(const std::string& id, ExecRequest request) {
    auto stream = call(this->driver_->exec(id, std::move(request)));
    if (!stream) return stream.error();
    streams_.push_back(std::move(*stream));
    return "";
  }
  void destroy(ExecStream& stream) {
    for (auto& one : streams_) {
      if (one.get() == &stream) call(destroy_stream(one));
    }
  }
  std::string read(ExecStream& stream, const std::string& until = "") {
    return call(read_text_until(stream, until)).out;
  }
  void write(ExecStream& stream, const std::string& bytes) { EXPECT_TRUE(call(stream.write(bytes))); }
  ExecEnd end(ExecStream& stream) { return call(stream.end()); }

  // No process of this number is left, nor of the session that it led.
  static bool is_gone(std::int64_t pid) {
    return Waiting::eventually([&] { return !start_ticks(static_cast<pid_t>(pid)); }) &&
           Waiting::eventually([&] { return signal_session(static_cast<pid_t>(pid), 0); });
  }

  http::IoThreads threads_{1};
  std::vector<std::unique_ptr<ExecStream>> streams_;
};

}  // namespace agent::drivers
