// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/door.h"

#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

class DoorTest : public SqsTest {
 protected:
  static std::string arn(const std::string& name) { return "arn:aws:sqs:us-east-1:111111111111:" + name; }
  static StringMap letting(const std::string& name, const std::string& condition) {
    return {{"Policy", R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":)"
                       R"("s3.amazonaws.com"},"Action":"sqs:SendMessage","Resource":")" +
                           arn(name) + R"(","Condition":)" + condition + "}]}"}};
  }
  Knock send(const std::string& queue, const std::string& body) {
    Knock answer{};
    with_call([&](Call& call) { answer = door_.send(call, queue, sender_, body); });
    return answer;
  }
  Knock ask(const std::string& queue) {
    Knock answer{};
    with_call([&](Call& call) { answer = door_.ask(call, queue, sender_); });
    return answer;
  }

  const QueueDoor door_ = queue_door();
  Sender sender_{"s3.amazonaws.com", "arn:aws:s3:::photos", "222222222222"};
};

TEST_F(DoorTest, AServiceSendsWhereThePolicyLetsIt) {
  const std::string url =
      make_queue("q", letting("q", R"({"ArnLike":{"aws:SourceArn":"arn:aws:s3:::photos"},)"
                                   R"("StringEquals":{"aws:SourceAccount":"222222222222"}})"));
  EXPECT_EQ(ask(arn("q")), Knock::Open);
  EXPECT_EQ(receive_bodies(url).size(), 0u);
  EXPECT_EQ(send(arn("q"), "hello"), Knock::Open);
  EXPECT_EQ(receive_bodies(url), std::vector<std::string>{"hello"});
}

TEST_F(DoorTest, AnotherSourceIsDenied) {
  const std::string url = make_queue("q", letting("q", R"({"ArnLike":{"aws:SourceArn":"arn:aws:s3:::other"}})"));
  EXPECT_EQ(ask(arn("q")), Knock::Denied);
  EXPECT_EQ(send(arn("q"), "hello"), Knock::Denied);
  EXPECT_EQ(receive_bodies(url).size(), 0u);
}

TEST_F(DoorTest, WithoutAPolicyNoServiceIsLetInNotEvenOfItsOwnAccount) {
  make_queue("q");
  sender_.account = "111111111111";
  EXPECT_EQ(send(arn("q"), "hello"), Knock::Denied);
}

TEST_F(DoorTest, QueuesThatAreNoneOrFifoAreToldApart) {
  make_queue("q.fifo", {{"FifoQueue", "true"}});
  EXPECT_EQ(ask(arn("q.fifo")), Knock::Fifo);
  EXPECT_EQ(send(arn("none"), "hello"), Knock::NoSuchQueue);
  EXPECT_EQ(ask("arn:aws:sns:us-east-1:111111111111:topic"), Knock::NoSuchQueue);
}

TEST_F(DoorTest, AMessageThatIsTooLongForItsQueueIsLeftOut) {
  StringMap attributes = letting("q", "{}");
  attributes["MaximumMessageSize"] = "1024";
  const std::string url = make_queue("q", attributes);
  EXPECT_EQ(send(arn("q"), std::string(1025, 'x')), Knock::Denied);
  EXPECT_EQ(send(arn("q"), std::string(1024, 'x')), Knock::Open);
  EXPECT_EQ(receive_bodies(url).size(), 1u);
}

}  // namespace
}  // namespace services::sqs
