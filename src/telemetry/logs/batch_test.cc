// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/batch.h"

#include <gtest/gtest.h>

namespace telemetry {
namespace {

TEST(EventId, HasFiftySixDigitsInTheOrderOfTheKeys) {
  const EventKey early{1800000000000, 99, 7}, late{1800000000000, 100, 0};
  EXPECT_EQ(event_id(early).size(), 56u);
  EXPECT_LT(event_id(early), event_id(late));
  EXPECT_EQ(parse_event_id(event_id(late)), late);
  EXPECT_EQ(parse_event_id("12"), std::nullopt);
  EXPECT_EQ(parse_event_id(std::string(56, '9')), std::nullopt);
  EXPECT_EQ(parse_event_id("-" + std::string(55, '1')), std::nullopt);
  // An index to which nothing could be added.
  EXPECT_EQ(parse_event_id(std::string(38, '0') + std::string(18, '9')), std::nullopt);
}

TEST(Batch, ReturnsItsEvents) {
  const std::string line(400, 'x'), zeros("\0a\0", 3);
  const std::vector<NewEvent> events{{5, line}, {5, zeros}, {9, "last\n"}};
  const auto table = decode_batch(encode_batch(events), {.number = 3, .stream = 2, .ingested_ms = 77});
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 3u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(table->rows[i].key, (EventKey{events[i].timestamp_ms, 3, static_cast<std::int64_t>(i)}));
    EXPECT_EQ(table->message(table->rows[i]), events[i].message);
    EXPECT_EQ(table->rows[i].stream, 2);
    EXPECT_EQ(table->rows[i].ingested_ms, 77);
  }
}

TEST(Batch, DamagedBytesAreNotDecoded) {
  const std::string line(400, 'x');
  std::string bytes = encode_batch(std::vector<NewEvent>{{5, line}});
  EXPECT_FALSE(decode_batch(bytes.substr(0, bytes.size() - 1), {}));
  bytes.back() ^= 1;
  EXPECT_FALSE(decode_batch(bytes, {}));
  EXPECT_FALSE(decode_batch("", {}));
  EXPECT_FALSE(decode_batch("\x07", {}));
}

}  // namespace
}  // namespace telemetry
