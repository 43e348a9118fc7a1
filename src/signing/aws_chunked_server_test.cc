// SPDX-License-Identifier: Apache-2.0
// aws-chunked bodies as a server receives them.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "signing/aws_chunked.h"

namespace signing {
namespace {

namespace asio = boost::asio;

asio::awaitable<http::Response> answer_digest_and_checksum(http::Exchange& exchange) {
  std::optional<AwsChunked> form = aws_chunked(exchange.head(), nullptr);
  AwsChunkedDecoder decoder(*form, nullptr);
  base::Hasher hasher(base::Checksum::Sha256);
  for (;;) {
    std::string piece = co_await exchange.read_piece();
    if (piece.empty()) break;
    for (std::string_view rest = piece; !rest.empty();) hasher.update(decoder.next(rest));
  }
  base::Headers trailers = decoder.finish();
  http::Response response;
  response.body = base::to_hex(hasher.finish()) + " " + std::string(trailers.get("x-amz-checksum-crc32"));
  co_return response;
}

std::string in_chunks(std::string_view bytes, std::size_t chunk_bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += chunk_bytes) {
    const std::string_view chunk = bytes.substr(at, chunk_bytes);
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
    out.append(size).append(chunk).append("\r\n");
  }
  return out;
}

// Amazon's SDK for JavaScript sends a stream this way; the two kinds of chunks do not align.
TEST(AwsChunkedServer, DecodesAwsChunksInsideHttpChunks) {
  const std::string bytes = base::random_bytes(5'000'000);
  const std::string body = in_chunks(bytes, 65536) + "0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n";
  http::IoThreads io(1);
  http::Server server(io, answer_digest_and_checksum, {});
  server.listen_tcp("127.0.0.1", 0);
  http::RawClient client(server.port());
  client.send(
      "PUT /aws-chunked HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Encoding: aws-chunked\r\n"
      "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nx-amz-trailer: x-amz-checksum-crc32\r\n"
      "x-amz-decoded-content-length: 5000000\r\n\r\n");
  client.send(in_chunks(body, 70001) + "0\r\n\r\n");
  const std::string answer = client.read_answer();
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), base::to_hex(base::sha256(bytes)) + " AAAAAA==");
}

}  // namespace
}  // namespace signing
