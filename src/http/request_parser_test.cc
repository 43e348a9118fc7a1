// SPDX-License-Identifier: Apache-2.0
#include "http/request_parser.h"

#include <gtest/gtest.h>

namespace http {
namespace {

constexpr std::size_t kHeadLimit = 1000;

// The status that a head is rejected with; 200 if it is accepted.
int status_of(std::string_view head) {
  RequestParser parser(kHeadLimit);
  try {
    return parser.parse_head(head) > 0 ? 200 : 0;
  } catch (const Failure& failure) {
    return failure.status();
  }
}

std::string with_host(std::string_view lines) { return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n"; }

TEST(RequestParser, ParsesAHeadAndLeavesTheRest) {
  RequestParser parser(kHeadLimit);
  std::string_view input = "GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-Two:  1 \r\nx-two: 2\r\n\r\nrest";
  EXPECT_EQ(parser.parse_head(input), input.size() - 4);
  EXPECT_EQ(parser.head().method, "GET");
  EXPECT_EQ(parser.head().path(), "/a");
  EXPECT_EQ(parser.head().query(), "b=c");
  EXPECT_EQ(parser.head().headers.get("X-TWO"), "1");
  EXPECT_EQ(parser.head().headers.size(), 3u);
}

TEST(RequestParser, WaitsForTheEndOfTheHead) {
  RequestParser parser(kHeadLimit);
  std::string input = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  for (std::size_t size = 0; size < input.size(); ++size) EXPECT_EQ(parser.parse_head(input.substr(0, size)), 0u);
  EXPECT_EQ(parser.parse_head(input), input.size());
}

TEST(RequestParser, SkipsEmptyLinesBeforeARequest) {
  EXPECT_EQ(status_of("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), 200);
  EXPECT_EQ(status_of("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"), 400);
}

TEST(RequestParser, RejectsConflictingLengths) {
  EXPECT_EQ(status_of(with_host("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")), 400);
  EXPECT_EQ(status_of(with_host("Content-Length: 5\r\nContent-Length: 6\r\n")), 400);
  EXPECT_EQ(status_of(with_host("Content-Length: 5, 6\r\n")), 400);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), 400);
}

TEST(RequestParser, RejectsAnInvalidLength) {
  for (const char* length : {"", "-1", "+5", "5x", "0x5", "99999999999999999999999"}) {
    EXPECT_EQ(status_of(with_host("Content-Length: " + std::string(length) + "\r\n")), 400) << length;
  }
}

TEST(RequestParser, RejectsUnknownTransferEncodings) {
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: gzip\r\n")), 501);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: gzip, chunked\r\n")), 501);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: xchunked\r\n")), 501);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n")), 501);
  EXPECT_EQ(status_of(with_host("Transfer-Encoding: Chunked\r\n")), 200);
}

TEST(RequestParser, RejectsAmbiguousHeads) {
  EXPECT_EQ(status_of(with_host("X: a\r\n b\r\n")), 400);
  EXPECT_EQ(status_of(with_host("X: a\r\n\tb\r\n")), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), 400);
  EXPECT_EQ(status_of(with_host("X : a\r\n")), 400);
  EXPECT_EQ(status_of(with_host("X\r\n")), 400);
  EXPECT_EQ(status_of(with_host(": a\r\n")), 400);
  EXPECT_EQ(status_of(with_host("X: a\nY: b\r\n")), 400);
  EXPECT_EQ(status_of(with_host("X: a\rY: b\r\n")), 400);
  EXPECT_EQ(status_of(with_host(std::string_view("X: a\0b\r\n", 8))), 400);
  EXPECT_EQ(status_of(with_host("X(1): a\r\n")), 400);
  EXPECT_EQ(status_of(with_host("X\xc3\xa9: a\r\n")), 400);
}

TEST(RequestParser, RequiresOneHost) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200);
}

TEST(RequestParser, RejectsInvalidRequestLines) {
  for (const char* line : {"GET", "GET /", "GET / HTTP", "GET  / HTTP/1.1", " GET / HTTP/1.1", "G@T / HTTP/1.1",
                           "GET / /b HTTP/1.1", "GET /\x01 HTTP/1.1"}) {
    int status = status_of(std::string(line) + "\r\nHost: h\r\n\r\n");
    EXPECT_TRUE(status == 400 || status == 505) << line << ": " << status;
  }
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: h\n\n\r\n\r\n"), 505);
}

TEST(RequestParser, RejectsAHeadOverTheLimit) {
  EXPECT_EQ(status_of("GET /" + std::string(kHeadLimit, 'a')), 431);
  EXPECT_EQ(status_of(with_host("X: " + std::string(kHeadLimit, 'a') + "\r\n")), 431);
}

TEST(RequestParser, ReportsWhetherTheConnectionIsKept) {
  auto kept = [](std::string_view head) {
    RequestParser parser(kHeadLimit);
    EXPECT_GT(parser.parse_head(head), 0u);
    return parser.keep_alive();
  };
  EXPECT_TRUE(kept("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_FALSE(kept("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(kept("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(kept("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

std::string decode_in_steps(std::string_view chunks, std::size_t step) {
  RequestParser parser(kHeadLimit);
  parser.parse_head(with_host("Transfer-Encoding: chunked\r\n"));
  std::string body, waiting;
  for (std::size_t at = 0; at < chunks.size() && !parser.chunks_done(); at += step) {
    waiting += chunks.substr(at, step);
    waiting.erase(0, parser.parse_chunks(waiting, body));
  }
  return parser.chunks_done() ? body : "incomplete";
}

TEST(RequestParser, DecodesChunksHoweverTheyAreCut) {
  std::string_view chunks = "5\r\nhello\r\nA;name=\"va;lue\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t step = 1; step <= chunks.size(); ++step)
    EXPECT_EQ(decode_in_steps(chunks, step), "hello0123456789") << step;
}

TEST(RequestParser, RejectsMalformedChunks) {
  for (const char* chunks : {"x\r\n", "-1\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "5 5\r\nhello\r\n", "fffffffffffffffff\r\n",
                             "0\r\nBad Trailer: x\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n"}) {
    EXPECT_THROW((void)decode_in_steps(chunks, 1000), Failure) << chunks;
  }
  EXPECT_EQ(decode_in_steps("5\nhello\n0\n\n", 1000), "incomplete");
  EXPECT_THROW((void)decode_in_steps("1;" + std::string(20'000, 'a'), 100), Failure);
}

}  // namespace
}  // namespace http
