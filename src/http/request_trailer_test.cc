// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "http/request_parser.h"

namespace http {
namespace {

// A signature covers the head only: a trailer must not add a header to it.
TEST(RequestTrailer, IsNotAddedToTheHeaders) {
  RequestParser parser(1000);
  parser.parse_head("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string body;
  parser.parse_chunks("2\r\nhi\r\n0\r\nX-Amz-Target: AmazonSQS.PurgeQueue\r\n\r\n", body);
  EXPECT_TRUE(parser.chunks_done());
  EXPECT_EQ(body, "hi");
  EXPECT_EQ(parser.head().headers.find("X-Amz-Target"), nullptr);
  EXPECT_EQ(parser.head().headers.size(), 2u);
}

}  // namespace
}  // namespace http
