// SPDX-License-Identifier: Apache-2.0
#include "cli/job_events.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace cli {
namespace {

TEST(EventReader, AnEventEndsWithAnEmptyLine) {
  EventReader reader;
  EXPECT_TRUE(reader.add("id: 7\nevent: job\ndata: {\"a\":1}\n").empty());
  const auto events = reader.add("\n");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, "job");
  EXPECT_EQ(events[0].id, "7");
  EXPECT_EQ(events[0].data, "{\"a\":1}");
}

TEST(EventReader, EveryKindOfLineEndIsRead) {
  for (const char* text : {"data: a\n\ndata:b\n\n", "data: a\r\n\r\ndata:b\r\n\r\n", "data: a\r\rdata:b\r\r"}) {
    EventReader reader;
    std::vector<ServerEvent> events;
    for (const char* c = text; *c; ++c) {
      for (ServerEvent& event : reader.add(std::string_view(c, 1))) events.push_back(std::move(event));
    }
    ASSERT_EQ(events.size(), 2u) << text;
    EXPECT_EQ(events[0].data, "a");
    EXPECT_EQ(events[1].data, "b");
    EXPECT_EQ(events[1].type, "message");
  }
}

TEST(EventReader, LinesOfDataAreJoined) {
  EventReader reader;
  EXPECT_EQ(reader.add("data: one\ndata: two\n\n").at(0).data, "one\ntwo");
}

TEST(EventReader, CommentsAndUnknownFieldsAreNoEvents) {
  EventReader reader;
  EXPECT_TRUE(reader.add(": still here\n\nretry: 100\n\nevent: x\n\n").empty());
}

TEST(EventReader, AnIdStaysUntilTheNext) {
  EventReader reader;
  const auto events = reader.add("id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].id, "1");
  EXPECT_EQ(events[2].id, "2");
}

TEST(EventReader, AnEndlessEventIsAnError) {
  EventReader reader;
  const std::string line = "data: " + std::string(1024 * 1024, 'x') + "\n";
  EXPECT_THROW(
      {
        for (int i = 0; i < 5; ++i) reader.add(line);
      },
      std::runtime_error);
  EventReader one_line;
  EXPECT_THROW(one_line.add(std::string(5 * 1024 * 1024, 'x')), std::runtime_error);
}

}  // namespace
}  // namespace cli
