// SPDX-License-Identifier: Apache-2.0
// A shipper against CloudWatch Logs in memory, which fails as the test says.
#include "agent/awslogs/log_shipper.h"

#include <gmock/gmock.h>

#include <fstream>

#include "agent/drivers/log_file.h"
#include "agent/tasks/test_machine.h"
#include "wire/error.h"

namespace agent {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

// Stores a batch only if its token continues the stream's cursor, as the server does.
class FakeLogs {
 public:
  LogCalls calls() {
    LogCalls calls;
    calls.put_events = [this](shapes::logs::PutLogEventsRequest request) { return put(std::move(request)); };
    calls.create_stream = [this](shapes::logs::CreateLogStreamRequest request) { return create(std::move(request)); };
    calls.create_group = [this](shapes::logs::CreateLogGroupRequest) { return create_group(); };
    return calls;
  }

  bool down = false;
  bool has_group = true, has_stream = true;
  int lost_replies = 0;  // of the next batches, which are stored
  std::string next_error;
  std::vector<std::string> messages;
  std::string cursor;
  int batches = 0;

 private:
  boost::asio::awaitable<shapes::logs::PutLogEventsResponse> put(shapes::logs::PutLogEventsRequest request) {
    if (down) throw std::runtime_error("connection refused");
    if (!next_error.empty()) throw wire::ApiError(std::exchange(next_error, ""), "as the test says");
    if (!has_group) throw wire::ApiError("ResourceNotFoundException", "The specified log group does not exist.");
    if (!has_stream) throw wire::ApiError("ResourceNotFoundException", "The specified log stream does not exist.");
    const std::string token = request.sequenceToken.value_or("");
    EXPECT_TRUE(token.starts_with("stoker/1 "));
    const std::size_t space = token.find(' ', 9);
    if (!cursor.empty() && cursor != token.substr(9, space - 9)) {
      throw wire::ApiError("InvalidSequenceTokenException",
                           "The given sequenceToken is invalid. The next expected sequenceToken is: " + cursor);
    }
    cursor = token.substr(space + 1);
    for (const auto& event : request.logEvents) messages.push_back(event.message);
    ++batches;
    if (lost_replies > 0) {
      --lost_replies;
      throw std::runtime_error("connection reset");
    }
    co_return shapes::logs::PutLogEventsResponse();
  }
  boost::asio::awaitable<void> create(shapes::logs::CreateLogStreamRequest) {
    if (down) throw std::runtime_error("connection refused");
    if (!has_group) throw wire::ApiError("ResourceNotFoundException", "The specified log group does not exist.");
    if (has_stream) throw wire::ApiError("ResourceAlreadyExistsException", "The specified log stream already exists");
    has_stream = true;
    co_return;
  }
  boost::asio::awaitable<void> create_group() {
    has_group = true;
    co_return;
  }
};

class Shipper : public MachineTest {
 protected:
  Shipper() {
    settings_.task_arn = "arn";
    settings_.container = "c";
    settings_.log_file = folder_.path + "/c.log";
    settings_.cursor_file = settings_.log_file + ".cursor";
    settings_.stream = "p/c/t";
    settings_.options.group = "g";
    settings_.options.region = "r";
    settings_.retry = settings_.retry_longest = std::chrono::milliseconds(1);
    writer_.emplace(std::move(*drivers::LogWriter::open(settings_.log_file)));
  }
  ~Shipper() override { kill(); }

  void start() {
    watch_ = std::make_unique<FileWatch>(io_.get_executor());
    owner_ = std::make_unique<Coroutines>(io_.get_executor());
    shipper_ = std::make_unique<LogShipper>(settings_, logs_.calls(), *watch_, changed_);
    owner_->spawn("shipper", shipper_->run());
  }
  // As an agent that is killed: nothing is saved that was not saved before.
  void kill() {
    if (!shipper_) return;
    owner_->cancel();
    watch_->coroutines().cancel();
    until([&] { return owner_->empty() && watch_->coroutines().empty(); });
    shipper_.reset();
    owner_.reset();
    watch_.reset();
  }
  void write(const std::string& text) {
    writer_->append(drivers::LogStream::Stdout, at_, text);
    at_ += std::chrono::milliseconds(1);
  }
  void write_lines(int from, int to) {
    for (int i = from; i < to; ++i) write("line " + std::to_string(i) + "\n");
  }
  static std::vector<std::string> lines(int from, int to) {
    std::vector<std::string> all;
    for (int i = from; i < to; ++i) all.push_back("line " + std::to_string(i));
    return all;
  }
  void finish() {
    writer_->finish();
    shipper_->set_ended();
    until([&] { return shipper_->done(); });
  }

  FakeLogs logs_;
  ShipperSettings settings_;
  std::optional<drivers::LogWriter> writer_;
  drivers::LogTime at_ = std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000));
  Signal changed_;
  std::unique_ptr<FileWatch> watch_;
  std::unique_ptr<Coroutines> owner_;
  std::unique_ptr<LogShipper> shipper_;
};

TEST_F(Shipper, SendsLinesAsTheyAreWritten) {
  start();
  write("one\n");
  until([&] { return logs_.messages.size() == 1; });
  write("two\n");
  until([&] { return logs_.messages.size() == 2; });
  write("three");
  finish();
  EXPECT_THAT(logs_.messages, ElementsAre("one", "two", "three"));
}

TEST_F(Shipper, ALostReplyDoesNotRepeatALine) {
  logs_.lost_replies = 3;
  start();
  write_lines(0, 25'000);
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 25'000)));
  EXPECT_GE(logs_.batches, 3);
}

TEST_F(Shipper, AnotherAgentContinuesEvenWithoutTheCursorFile) {
  start();
  write_lines(0, 100);
  until([&] { return logs_.messages.size() == 100; });
  kill();
  write_lines(100, 200);
  std::ofstream(settings_.cursor_file) << "";
  start();
  until([&] { return logs_.messages.size() == 200; });
  kill();
  std::filesystem::remove(settings_.cursor_file);
  logs_.lost_replies = 1;
  start();
  write_lines(200, 300);
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 300)));
}

TEST_F(Shipper, LinesWaitInTheFileWhileTheServerIsDown) {
  settings_.retry = settings_.retry_longest = std::chrono::minutes(10);  // only the server's return wakes it
  logs_.down = true;
  start();
  write_lines(0, 10);
  until([&] { return shipper_->failing(); });
  write_lines(10, 20);
  EXPECT_THAT(logs_.messages, IsEmpty());
  logs_.down = false;
  shipper_->retry_now();
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 20)));
}

TEST_F(Shipper, WhatTheBufferCannotHoldIsDroppedAndRecorded) {
  settings_.options.max_unsent_bytes = 10'000;
  logs_.down = true;
  start();
  write_lines(0, 10);
  until([&] { return shipper_->failing(); });
  write_lines(10, 1000);
  logs_.down = false;
  finish();
  ASSERT_GT(logs_.messages.size(), 100u);
  EXPECT_THAT(logs_.messages.front(), HasSubstr("lines dropped: more than 10000 bytes"));
  EXPECT_EQ(logs_.messages.back(), "line 999");
}

TEST_F(Shipper, AMissingStreamIsCreated) {
  logs_.has_stream = false;
  start();
  write_lines(0, 10);
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 10)));
}

TEST_F(Shipper, AMissingGroupIsCreatedOnlyIfTheOptionsSaySo) {
  logs_.has_group = logs_.has_stream = false;
  start();
  write_lines(0, 10);
  until([&] { return shipper_->failing(); });
  EXPECT_FALSE(logs_.has_group);
  kill();
  settings_.options.create_group = true;
  start();
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 10)));
}

TEST_F(Shipper, ABatchThatTheServerNeverTakesDoesNotHoldUpTheNext) {
  logs_.next_error = "InvalidParameterException";
  start();
  write("poison\n");
  until([&] { return logs_.next_error.empty(); });
  write("fine\n");
  finish();
  EXPECT_THAT(logs_.messages, ElementsAre("fine"));
}

TEST_F(Shipper, AnEventOfSeveralLinesIsSentWhenItIsOld) {
  settings_.options.event_start = "^#";
  settings_.options.flush_interval = std::chrono::milliseconds(1);
  start();
  write("# one\n  more\n");
  until([&] { return logs_.messages.size() == 1; });
  EXPECT_THAT(logs_.messages, ElementsAre("# one\n  more\n"));
  finish();
  EXPECT_EQ(logs_.messages.size(), 1u);
}

TEST_F(Shipper, FollowsTheFileOverRotations) {
  writer_.reset();
  writer_.emplace(std::move(*drivers::LogWriter::open(settings_.log_file, 10'000)));
  start();
  for (int i = 0; i < 1000; i += 50) {
    write_lines(i, i + 50);
    until([&] { return logs_.messages.size() == std::size_t(i + 50); });
  }
  finish();
  EXPECT_THAT(logs_.messages, ElementsAreArray(lines(0, 1000)));
}

}  // namespace
}  // namespace agent
