// SPDX-License-Identifier: Apache-2.0
#include "services/invoke.h"

#include <boost/describe/class.hpp>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/random.h"
#include "services/directory.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services {
namespace {

struct EchoRequest {
  std::string Text;
};
BOOST_DESCRIBE_STRUCT(EchoRequest, (), (Text))
struct EchoResult {
  std::string Text;
};
BOOST_DESCRIBE_STRUCT(EchoResult, (), (Text))

EchoResult echo(Call& call, const EchoRequest& request) {
  if (call.caller.service != "s3.amazonaws.com") throw wire::ApiError("AccessDenied", "Access Denied", 403);
  call.tx.exec("INSERT INTO echoes (text) VALUES ($1)", request.Text);
  call.wake("echo");
  return {request.Text + " for " + call.caller.source_arn};
}

class Invoke : public testing::Test {
 protected:
  Invoke() : folder_(testing::TempDir() + "invoke-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {{"echo", {"CREATE TABLE echoes (text TEXT NOT NULL)"}}});
    directory_.add("echo", {operation<&echo>("Echo", Access::Write)});
  }
  ~Invoke() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  template <class Fn>
  void with_call(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, base::from_seconds(1), base::from_seconds(1), nullptr, &directory_};
      fn(call);
      wakes_ = call.wakes;
    });
  }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Directory directory_;
  Caller caller_{.account = "111111111111", .region = "us-east-1"};
  std::vector<Wake> wakes_;
};

TEST_F(Invoke, RunsInTheSameTransactionAsTheNamedPrincipal) {
  with_call([&](Call& call) {
    const Caller s3 = as_service(call, "s3.amazonaws.com", "arn:aws:s3:::b", "222222222222");
    EXPECT_EQ(s3.region, "us-east-1");
    EXPECT_EQ(invoke<EchoResult>(call, s3, "echo", "Echo", EchoRequest{"hi"}).Text, "hi for arn:aws:s3:::b");
    EXPECT_EQ(call.tx.query("SELECT COUNT(*) FROM echoes").integer(), 1);
  });
}

TEST_F(Invoke, TheOperationsWakesAreThoseOfTheCaller) {
  with_call([&](Call& call) {
    invoke<EchoResult>(call, as_service(call, "s3.amazonaws.com", "", ""), "echo", "Echo", EchoRequest{"hi"});
  });
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, "echo");
}

TEST_F(Invoke, AnErrorOfTheOperationReachesTheCaller) {
  with_call([&](Call& call) {
    EXPECT_THROW(invoke<EchoResult>(call, as_service(call, "ec2.amazonaws.com", "", ""), "echo", "Echo", EchoRequest{"hi"}),
                 wire::ApiError);
  });
}

TEST_F(Invoke, ADirectoryFindsOnlyItsOwnOperations) {
  EXPECT_NE(directory_.find("echo", "Echo"), nullptr);
  EXPECT_EQ(directory_.find("echo", "Shout"), nullptr);
  EXPECT_EQ(directory_.find("sqs", "Echo"), nullptr);
}

}  // namespace
}  // namespace services
