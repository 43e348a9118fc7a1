// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/session_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace doors::agents {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class SessionStateTest : public testing::Test {
 protected:
  SessionStateTest() { state_.sent_manifest("manifest"); }

  const SessionTimes times_;
  Steady::time_point now_ = Steady::time_point() + 1h;
  SessionState state_{times_, now_};
};

TEST_F(SessionStateTest, OnlyTheManifestsAcknowledgementIsAnAgreement) {
  EXPECT_FALSE(state_.acknowledge("something else").manifest);
  EXPECT_FALSE(state_.agreed());
  EXPECT_TRUE(state_.acknowledge("manifest").manifest);
  EXPECT_TRUE(state_.agreed());
  EXPECT_FALSE(state_.acknowledge("manifest").manifest) << "a repeated one must not start a second writer";
}

TEST_F(SessionStateTest, AnAgentHasLimitedTimeToAgree) {
  EXPECT_EQ(state_.patience(now_), times_.agreement);
  now_ += times_.agreement - 1s;
  EXPECT_EQ(state_.patience(now_), base::Duration(1s));
  now_ += 1s;
  EXPECT_EQ(state_.patience(now_), std::nullopt);
}

TEST_F(SessionStateTest, AfterTheAgreementOnlySilenceEndsASession) {
  state_.acknowledge("manifest");
  now_ += 10h;
  EXPECT_EQ(state_.patience(now_), times_.silence);
}

TEST_F(SessionStateTest, AnAcknowledgedPayloadIsDelivered) {
  EXPECT_EQ(state_.sent_payload("p1", {"task-1", "task-2"}, now_), 1);
  EXPECT_EQ(state_.sent_payload("p2", {"task-3"}, now_), 2);
  EXPECT_THAT(state_.acknowledge("p1").tasks, ElementsAre("task-1", "task-2"));
  EXPECT_THAT(state_.acknowledge("p1").tasks, IsEmpty());
  EXPECT_THAT(state_.acknowledge("unknown").tasks, IsEmpty());
  EXPECT_THAT(state_.acknowledge("p2").tasks, ElementsAre("task-3"));
}

TEST_F(SessionStateTest, AnUnacknowledgedPayloadIsSentAgain) {
  state_.set_sent({"task-1/RUNNING"});
  state_.sent_payload("p1", {"task-1"}, now_);
  now_ += times_.acknowledgement;
  EXPECT_THAT(state_.sent(now_), ElementsAre("task-1/RUNNING"));
  now_ += 1ms;
  EXPECT_THAT(state_.sent(now_), IsEmpty());
  EXPECT_THAT(state_.acknowledge("p1").tasks, IsEmpty()) << "the second payload is what counts";
}

TEST_F(SessionStateTest, AnAcknowledgedPayloadIsNotSentAgain) {
  state_.set_sent({"task-1/RUNNING"});
  state_.sent_payload("p1", {"task-1"}, now_);
  state_.acknowledge("p1");
  now_ += 10h;
  EXPECT_THAT(state_.sent(now_), ElementsAre("task-1/RUNNING"));
}

TEST_F(SessionStateTest, AHeartbeatIsDueAtOnceAndThenRegularly) {
  EXPECT_TRUE(state_.take_heartbeat(now_));
  EXPECT_EQ(state_.pause(now_), times_.heartbeat);
  now_ += times_.heartbeat - 1s;
  EXPECT_FALSE(state_.take_heartbeat(now_));
  EXPECT_EQ(state_.pause(now_), base::Duration(1s));
  now_ += 1s;
  EXPECT_TRUE(state_.take_heartbeat(now_));
}

TEST_F(SessionStateTest, CredentialsAreCheckedAtOnceAndThenRegularly) {
  EXPECT_TRUE(state_.take_renewal(now_));
  EXPECT_FALSE(state_.take_renewal(now_ + times_.renewal - 1s));
  EXPECT_TRUE(state_.take_renewal(now_ + times_.renewal));
}

}  // namespace
}  // namespace doors::agents
