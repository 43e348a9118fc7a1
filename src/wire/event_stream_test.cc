// SPDX-License-Identifier: Apache-2.0
#include "wire/event_stream.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace wire {
namespace {

// Frames that botocore 1.43.11 decodes (botocore.eventstream.EventStreamBuffer) to these headers and payloads.
TEST(EventStream, FramesAreThoseOfAmazonsClients) {
  EXPECT_EQ(base::to_hex(encode_event({}, "")), "000000100000000005c248eb7d98c8ff");
  EXPECT_EQ(base::to_hex(encode_event({{":message-type", "event"}, {":event-type", "initial-response"}}, "{}")),
            "0000004700000035d9429f130d3a6d6573736167652d747970650700056576656e740b3a6576656e742d74797065070010696e697469616c2d726573706f6e73657b7d8de0c8a3");
}

}  // namespace
}  // namespace wire
