// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/header_text.h"

#include <gtest/gtest.h>

namespace doors::objects {
namespace {

TEST(HeaderText, ConditionsWithInvalidDatesAreDropped) {
  const base::Headers kept = without_invalid_dates({{"if-modified-since", "yesterday"},
                                                  {"If-Unmodified-Since", "2026-11-05T09:30:10Z"},
                                                  {"If-Match", "yesterday"},
                                                  {"x-amz-meta-a", ""}});
  EXPECT_EQ(kept.size(), 2u);
  EXPECT_FALSE(kept.find("If-Modified-Since"));
  for (const char* date :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(without_invalid_dates({{"If-Modified-Since", date}}).get("If-Modified-Since"), date);
  }
}

TEST(HeaderText, BytesOfMetadataAreLatin1) {
  const base::Headers read = with_unicode_metadata(
      {{"X-Amz-Meta-A", "plain"}, {"x-amz-meta-b", "Mini\xF6"}, {"x-amz-meta-c", "ö"}, {"Content-Type", "\xF6"}});
  EXPECT_EQ(read.get("x-amz-meta-a"), "plain");
  EXPECT_EQ(read.get("x-amz-meta-b"), "Miniö");
  EXPECT_EQ(read.get("x-amz-meta-c"), "Ã¶");
  EXPECT_EQ(read.get("Content-Type"), "\xF6");
}

}  // namespace
}  // namespace doors::objects
