// SPDX-License-Identifier: Apache-2.0
// Messages that services send: S3's events.
#include "services/directory.h"
#include "services/invoke.h"
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

class ServicePrincipal : public SqsTest {
 protected:
  ServicePrincipal() {
    directory_.add("sqs", module_.service.operations);
    directory_.add("sqs", module_.internal_operations);
  }

  static std::string arn(const std::string& name) { return "arn:aws:sqs:us-east-1:111111111111:" + name; }
  static StringMap allow_s3(const std::string& name, const std::string& condition) {
    return {{"Policy", R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":)"
                       R"("s3.amazonaws.com"},"Action":"sqs:SendMessage","Resource":")" +
                           arn(name) + R"(","Condition":)" + condition + "}]}"}};
  }
  Caller s3(const Call& call) const { return as_service(call, "s3.amazonaws.com", "arn:aws:s3:::photos", account_); }

  // The error code, "" for success.
  std::string send_as_s3(const std::string& queue_arn, const std::string& body) {
    return error_of([&] {
      with_call([&](Call& call) {
        call.directory = &directory_;
        invoke<SendMessageResult>(call, s3(call), "sqs", "SendMessage",
                                  SendMessageRequest{.QueueUrl = queue_arn, .MessageBody = body});
      });
    });
  }
  std::string check_as_s3(const std::string& queue_arn) {
    return error_of([&] {
      with_call([&](Call& call) {
        call.directory = &directory_;
        invoke(call, s3(call), "sqs", "CheckSendMessage", SendMessageRequest{.QueueUrl = queue_arn});
      });
    });
  }

  Directory directory_;
  std::string account_ = "222222222222";  // of the bucket
};

TEST_F(ServicePrincipal, SendsWhereThePolicyAllowsIt) {
  const std::string url =
      make_queue("q", allow_s3("q", R"({"ArnLike":{"aws:SourceArn":"arn:aws:s3:::photos"},)"
                                    R"("StringEquals":{"aws:SourceAccount":"222222222222"}})"));
  EXPECT_EQ(check_as_s3(arn("q")), "");
  EXPECT_TRUE(wakes_.empty());
  EXPECT_EQ(receive_bodies(url).size(), 0u);
  EXPECT_EQ(send_as_s3(arn("q"), "hello"), "");
  EXPECT_FALSE(wakes_.empty());
  EXPECT_EQ(receive_bodies(url), std::vector<std::string>{"hello"});
}

TEST_F(ServicePrincipal, IsDeniedForAnotherSource) {
  const std::string url = make_queue("q", allow_s3("q", R"({"ArnLike":{"aws:SourceArn":"arn:aws:s3:::other"}})"));
  EXPECT_EQ(check_as_s3(arn("q")), "AccessDeniedException");
  EXPECT_EQ(send_as_s3(arn("q"), "hello"), "AccessDeniedException");
  EXPECT_EQ(receive_bodies(url).size(), 0u);
}

TEST_F(ServicePrincipal, IsDeniedWithoutAPolicyEvenInItsOwnAccount) {
  make_queue("q");
  account_ = "111111111111";
  EXPECT_EQ(check_as_s3(arn("q")), "AccessDeniedException");
  EXPECT_EQ(send_as_s3(arn("q"), "hello"), "AccessDeniedException");
}

TEST_F(ServicePrincipal, IsNotTheAccountOnWhoseBehalfItActs) {
  make_queue("q", {{"Policy", R"({"Statement":[{"Effect":"Allow","Principal":{"AWS":"222222222222"},)"
                              R"("Action":"sqs:*","Resource":"*"}]})"}});
  EXPECT_EQ(send_as_s3(arn("q"), "hello"), "AccessDeniedException");
}

TEST_F(ServicePrincipal, NamesAQueueOfAnyRegionByItsArn) {
  caller_.region = "eu-west-1";
  StringMap attributes = {{"Policy", R"({"Statement":[{"Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},)"
                                     R"("Action":"sqs:SendMessage","Resource":"*"}]})"}};
  make_queue("q", attributes);
  caller_.region = "";  // a loop has none
  EXPECT_EQ(send_as_s3("arn:aws:sqs:eu-west-1:111111111111:q", "hello"), "");
  EXPECT_EQ(send_as_s3(arn("q"), "hello"), "QueueDoesNotExist");
}

TEST_F(ServicePrincipal, CantSendToAMissingQueueOrAnotherKindOfResource) {
  EXPECT_EQ(send_as_s3(arn("none"), "hello"), "QueueDoesNotExist");
  EXPECT_EQ(check_as_s3("arn:aws:sns:us-east-1:111111111111:topic"), "QueueDoesNotExist");
}

TEST_F(ServicePrincipal, CantSendToAFifoQueueWithoutAGroup) {
  StringMap attributes = allow_s3("q.fifo", "{}");
  attributes["FifoQueue"] = "true";
  const std::string url = make_queue("q.fifo", attributes);
  EXPECT_EQ(send_as_s3(arn("q.fifo"), "hello"), "MissingRequiredParameterException");
  EXPECT_EQ(receive_bodies(url).size(), 0u);
}

TEST_F(ServicePrincipal, CantSendAMessageThatIsTooLongForTheQueue) {
  StringMap attributes = allow_s3("q", "{}");
  attributes["MaximumMessageSize"] = "1024";
  const std::string url = make_queue("q", attributes);
  EXPECT_EQ(send_as_s3(arn("q"), std::string(1025, 'x')), "InvalidParameterValueException");
  EXPECT_EQ(send_as_s3(arn("q"), std::string(1024, 'x')), "");
  EXPECT_EQ(receive_bodies(url).size(), 1u);
}

}  // namespace
}  // namespace services::sqs
