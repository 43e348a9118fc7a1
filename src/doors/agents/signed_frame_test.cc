// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/signed_frame.h"

#include <gtest/gtest.h>

namespace doors::agents {
namespace {

TEST(SignedFrame, HeaderLinesComeBeforeTheJson) {
  const auto frame = split_frame("Authorization: AWS4 a:b\r\nHost: h:1\r\n\r\n{\"type\":\"x\"}");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->headers.get("authorization"), "AWS4 a:b");
  EXPECT_EQ(frame->headers.get("Host"), "h:1");
  EXPECT_EQ(frame->json, "{\"type\":\"x\"}");
}

TEST(SignedFrame, AFrameOfOurAgentHasNone) {
  for (const char* text : {"", "{}", "{\"a\":\"\\r\\n\\r\\n\"}", "Host: h", "\r\n", "Host: h\r\n{}"}) {
    EXPECT_FALSE(split_frame(text)) << text;
  }
}

TEST(SignedFrame, LinesThatAreNoHeadersAreLeftOut) {
  const auto frame = split_frame("nonsense\r\n: x\r\nA:\r\n\r\n");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->headers.get("A"), "");
  EXPECT_EQ(frame->json, "");
}

}  // namespace
}  // namespace doors::agents
