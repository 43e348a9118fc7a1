// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/query_headers.h"

#include <gtest/gtest.h>

namespace doors::objects {
namespace {

TEST(QueryHeaders, HeadersInTheQueryAreAdded) {
  const char* target = "/b/k?x-amz-meta-a=some%20text&x-amz-meta-b=some+%2Btext&X-Amz-Storage-Class=STANDARD_IA&prefix=p&x-amz-acl";
  const http::RequestHead head{"PUT", target, {{"Host", "h"}}};
  const http::RequestHead shown = with_query_headers(head);
  EXPECT_EQ(shown.headers.get("x-amz-meta-a"), "some text");
  EXPECT_EQ(shown.headers.get("x-amz-meta-b"), "some +text") << "as its signature reads it";
  EXPECT_EQ(shown.headers.get("x-amz-storage-class"), "STANDARD_IA");
  EXPECT_TRUE(shown.headers.find("x-amz-acl"));
  EXPECT_FALSE(shown.headers.find("prefix"));
  EXPECT_EQ(shown.target, head.target);
}

TEST(QueryHeaders, AHeaderOfTheRequestWins) {
  const http::RequestHead shown = with_query_headers({"PUT", "/b/k?x-amz-meta-a=query", {{"X-Amz-Meta-A", "header"}}});
  EXPECT_EQ(shown.headers.get("x-amz-meta-a"), "header");
  EXPECT_EQ(shown.headers.size(), 1u);
}

TEST(QueryHeaders, SignaturesAndChecksumsStayInTheQuery) {
  const char* target =
      "/b/k?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Date=c&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
      "&X-Amz-Signature=d&X-Amz-Security-Token=e&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&x-amz-checksum-crc32=AAAAAA%3D%3D"
      "&x-amz-sdk-checksum-algorithm=CRC32";
  EXPECT_TRUE(with_query_headers({"PUT", target, {}}).headers.empty());
}

}  // namespace
}  // namespace doors::objects
