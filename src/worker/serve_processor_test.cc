// SPDX-License-Identifier: Apache-2.0
#include "worker/serve_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "base/random.h"

namespace worker {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;

class ServeProcessorTest : public testing::Test {
 protected:
  ServeProcessorTest() { std::filesystem::create_directories(folder_); }
  ~ServeProcessorTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ServeProcessor> make(const std::string& script) {
    ServeRules rules;
    rules.words = {"/bin/sh", "-c", "cd " + folder_ + "; " + script};
    return std::make_unique<ServeProcessor>(io_.get_executor(), std::move(rules),
                                            [this](const Item& item) { begun_.push_back(item.id); });
  }
  Item item(const std::string& id) {
    Item one;
    one.message = std::make_shared<Message>();
    one.id = id;
    return one;
  }
  asio::awaitable<void> take(Processor& processor, Item& one) {
    Answer answer = co_await processor.answer(one);
    if (std::holds_alternative<Result>(answer)) answered_.push_back(one.id);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ + "/" + name); }
  void run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "nothing happened";
      io_.run_for(std::chrono::milliseconds(5));
    }
  }
  void stop(ServeProcessor& processor) {
    bool stopped = false;
    asio::co_spawn(io_, processor.stop(), [&](std::exception_ptr) { stopped = true; });
    run_until([&] { return stopped; });
  }

  const std::string folder_ = testing::TempDir() + "serve_" + base::random_uuid();
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
  std::vector<std::string> begun_, answered_;
};

TEST_F(ServeProcessorTest, AnItemInTheInputOfTheProcessIsBegunWhenTheOneBeforeItIsAnswered) {
  auto processor = make("read -r one; read -r two; touch both; until [ -e go ]; do sleep 0.05; done; "
                        "echo '{\"id\":\"1\",\"result\":1}'; until [ -e end ]; do sleep 0.05; done; "
                        "echo '{\"id\":\"2\",\"result\":1}'; cat");
  Item first = item("1"), second = item("2");
  processor->start();
  asio::co_spawn(io_, take(*processor, first), asio::detached);
  asio::co_spawn(io_, take(*processor, second), asio::detached);
  run_until([&] { return exists("both"); });
  EXPECT_THAT(begun_, ElementsAre("1"));
  std::ofstream(folder_ + "/go") << "";
  run_until([&] { return answered_.size() == 1; });
  EXPECT_THAT(begun_, ElementsAre("1", "2"));
  std::ofstream(folder_ + "/end") << "";
  run_until([&] { return answered_.size() == 2; });
  stop(*processor);
}

TEST_F(ServeProcessorTest, AProcessThatIsKilledForACancelledItemGetsNothingMoreAndFailsNoItem) {
  // The first process hangs on the first item.
  auto processor = make("if mkdir first 2> /dev/null; then read -r one; read -r two; touch both; sleep 600; fi; "
                        "while read -r line; do id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}; "
                        "echo \"{\\\"id\\\":\\\"$id\\\",\\\"result\\\":1}\"; done");
  Item hanging = item("1"), behind = item("2"), next = item("3");
  processor->start();
  for (Item* one : {&hanging, &behind}) asio::co_spawn(io_, take(*processor, *one), asio::detached);
  run_until([&] { return exists("both"); });
  processor->cancel(hanging);
  asio::co_spawn(io_, take(*processor, next), asio::detached);
  run_until([&] { return answered_.size() == 2; });
  EXPECT_THAT(answered_, ElementsAre("2", "3"));
  stop(*processor);
}

}  // namespace
}  // namespace worker
