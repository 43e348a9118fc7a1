// SPDX-License-Identifier: Apache-2.0
// Bodies that are never in memory as a whole: uploads in pieces, responses from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "base/random.h"
#include "http/client.h"
#include "http/part_opener.h"
#include "http/raw_client.h"
#include "http/self_signed.h"
#include "http/server_fixture.h"

namespace http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Le;
using testing::StartsWith;

constexpr std::size_t kFileBytes = 5'000'000;

class BodiesTest : public ServerFixture {
 protected:
  BodiesTest() : bytes_(base::random_bytes(kFileBytes)) {
    std::filesystem::create_directory(folder_);
    base::File::create(path_).write_all(bytes_);
  }
  ~BodiesTest() override { std::filesystem::remove_all(folder_); }

  asio::awaitable<Response> handle(Exchange& exchange) override {
    const std::string path(exchange.head().path());
    Response response;
    if (path == "/digest") {
      response.body = co_await digest(exchange);
    } else if (path == "/refuse") {
      response = text_response(403, "not for you");
    } else if (path == "/length") {
      response.headers.add("Content-Length", "5497558138880");
      if (exchange.head().query() == "304") response.status = 304;
    } else {
      response.parts = parts_;
      response.opener = opener_;
      response.body = body_;
    }
    co_return response;
  }

  asio::awaitable<std::string> digest(Exchange& exchange) {
    base::Hasher hasher(base::Checksum::Sha256);
    for (;;) {
      std::string piece = co_await exchange.read_piece();
      if (piece.empty()) break;
      largest_piece_ = std::max(largest_piece_, piece.size());
      hasher.update(piece);
    }
    co_return base::to_hex(hasher.finish());
  }

  BodyPart slice(std::uint64_t offset, std::uint64_t length) const {
    BodyPart part;
    part.file = std::make_shared<const base::File>(base::File::open(path_));
    part.offset = offset;
    part.length = length;
    return part;
  }
  BodyPart later(std::uint64_t offset, std::uint64_t length, const std::string& name) const {
    BodyPart part;
    part.name = name;
    part.offset = offset;
    part.length = length;
    return part;
  }
  asio::awaitable<std::shared_ptr<const base::File>> open(std::string name) {
    most_open_ = std::max(most_open_, 1 + std::count_if(opened_.begin(), opened_.end(),
                                                        [](const auto& file) { return !file.expired(); }));
    if (!std::filesystem::exists(folder_ + "/" + name)) co_return nullptr;
    auto file = std::make_shared<const base::File>(base::File::open(folder_ + "/" + name));
    opened_.push_back(file);
    co_return file;
  }
  static BodyPart text(std::string bytes) {
    BodyPart part;
    part.bytes = std::move(bytes);
    return part;
  }
  static std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  const std::string folder_ = testing::TempDir() + "bodies_test_" + base::random_uuid();
  const std::string path_ = folder_ + "/object";
  const std::string bytes_;
  std::vector<BodyPart> parts_;
  std::vector<std::weak_ptr<const base::File>> opened_;
  std::ptrdiff_t most_open_ = 0;
  std::shared_ptr<const PartOpener> opener_ =
      std::make_shared<PartOpener>(PartOpener{[this](std::string name) { return open(std::move(name)); }});
  std::string body_;
  std::size_t largest_piece_ = 0;
};

TEST_F(BodiesTest, SendsAFileAndKeepsTheConnection) {
  parts_ = {slice(0, kFileBytes)};
  RawClient client(start().port());
  for (int i = 0; i < 3; ++i) {
    client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
    const std::string answer = client.read_answer();
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 5000000\r\n"));
    EXPECT_TRUE(body_of(answer) == bytes_);
  }
}

TEST_F(BodiesTest, SendsPartsInOrderAfterTheBody) {
  body_ = "first";
  parts_ = {slice(10, 2'000'000), text("between"), slice(0, 0), slice(4'999'990, 10), text("last")};
  RawClient client(start().port());
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(body_of(client.read_answer()) ==
              "first" + bytes_.substr(10, 2'000'000) + "between" + bytes_.substr(4'999'990) + "last");
}

TEST_F(BodiesTest, SendsPartsInMemoryFirstOrAlone) {
  const std::string large(100'000, 'l');
  RawClient client(start().port());
  for (const std::string& first : {std::string("small"), large}) {
    parts_ = {text(first), text("second"), slice(0, 100)};
    client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), first + "second" + bytes_.substr(0, 100));
    parts_ = {text(first)};
    client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), first);
  }
}

TEST_F(BodiesTest, OpensNamedFilesOneAtATime) {
  RawClient client(start().port());
  std::string expected;
  for (std::uint64_t i = 0; i < 100; ++i) {
    parts_.push_back(later(i * 1000, 20'000, "object"));
    parts_.push_back(text("between"));
    expected += bytes_.substr(i * 1000, 20'000) + "between";
  }
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(body_of(client.read_answer()), expected);
  EXPECT_EQ(opened_.size(), 100u);
  EXPECT_EQ(most_open_, 1);
}

TEST_F(BodiesTest, AMissingNamedFileCutsTheResponseShort) {
  RawClient client(start().port());
  parts_ = {slice(0, 100), later(0, 100, "deleted"), text("last")};
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 204"));
  EXPECT_EQ(body_of(answer), bytes_.substr(0, 100));
}

TEST_F(BodiesTest, AHeadResponseHasTheLengthOfAllPartsWithoutTheParts) {
  body_ = "first";
  parts_ = {slice(0, kFileBytes), text("last")};
  RawClient client(start().port());
  client.send("HEAD /file HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_to_end()),
            "HTTP/1.1 200 OK\r\nContent-Length: 5000009\r\nConnection: close\r\n\r\n");
}

TEST_F(BodiesTest, AHeadResponseMaySetItsLengthAndA304HasNone) {
  RawClient client(start().port());
  client.send("HEAD /length HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_until("\r\n\r\n")), "HTTP/1.1 200 OK\r\nContent-Length: 5497558138880\r\n\r\n");
  client.send("GET /length?304 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_until("\r\n\r\n")), "HTTP/1.1 304 Not Modified\r\n\r\n");
  client.send("GET /length HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(without_dates(client.read_until("\r\n\r\n")), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

TEST_F(BodiesTest, SendsAFileOverAUnixSocket) {
  parts_ = {slice(0, kFileBytes)};
  start().listen_unix(folder_ + "/s");
  RawClient client(folder_ + "/s");
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(body_of(client.read_answer()) == bytes_);
}

TEST_F(BodiesTest, SendsAFileOverTls) {
  SelfSigned files;
  parts_ = {slice(1, kFileBytes - 1), text("last")};
  Server server(io_, [this](Exchange& exchange) { return handle(exchange); });
  server.listen_tls("127.0.0.1", 0, files.certificate_file, files.key_file);
  Client client(io_, Endpoint::tls("localhost", server.port(), files.certificate_file));
  Request request;
  request.head = {"GET", "/file", {}};
  auto response = client.send_now(request, kTestDeadline);
  ASSERT_TRUE(response) << response.error();
  EXPECT_TRUE(response->body == bytes_.substr(1) + "last");
}

TEST_F(BodiesTest, AFileThatIsTooShortCutsTheResponseShort) {
  parts_ = {slice(0, kFileBytes + 1)};
  RawClient client(start().port());
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5000001\r\n"));
  EXPECT_TRUE(body_of(answer) == bytes_);
}

TEST_F(BodiesTest, DisconnectsAClientThatDoesNotReadAFile) {
  Limits limits;
  limits.write = 50ms;
  for (int i = 0; i < 10; ++i) parts_.push_back(slice(0, kFileBytes));
  Server& server = start(limits);
  RawClient client(server.port());
  client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
  client.read_until("\r\n\r\n");
  while (server.connections() > 0) std::this_thread::yield();
  EXPECT_LT(client.read_to_end().size(), 10 * kFileBytes);
}

TEST_F(BodiesTest, SurvivesAClientThatDisconnectsInTheMiddleOfAFile) {
  for (int i = 0; i < 10; ++i) parts_.push_back(slice(0, kFileBytes));
  Server& server = start();
  {
    RawClient client(server.port());
    client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n");
    client.read_until("\r\n\r\n");
  }
  while (server.connections() > 0) std::this_thread::yield();
  RawClient next(server.port());
  next.send("HEAD /length HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(next.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(BodiesTest, ReadsAnUploadInPiecesOfBoundedSize) {
  RawClient client(start().port());
  client.send("PUT /digest HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n");
  client.send(bytes_);
  EXPECT_EQ(body_of(client.read_answer()), base::to_hex(base::sha256(bytes_)));
  EXPECT_THAT(largest_piece_, Le(1024u * 1024));
}

TEST_F(BodiesTest, ReadsAnUploadOverTlsInPiecesLargerThanItsRecords) {
  SelfSigned files;
  Server server(io_, [this](Exchange& exchange) { return handle(exchange); });
  server.listen_tls("127.0.0.1", 0, files.certificate_file, files.key_file);
  Client client(io_, Endpoint::tls("localhost", server.port(), files.certificate_file));
  Request request;
  request.head = {"PUT", "/digest", {}};
  request.body = bytes_;
  auto response = client.send_now(request, kTestDeadline);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, base::to_hex(base::sha256(bytes_)));
  EXPECT_THAT(largest_piece_, Le(1024u * 1024));
}

TEST_F(BodiesTest, ARejectedUploadIsNotReadAndItsClientReceivesTheResponse) {
  RawClient waiting(start().port());
  waiting.send("PUT /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 5497558138880\r\nExpect: 100-continue\r\n\r\n");
  const std::string answer = waiting.read_until("not for you\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  RawClient hasty(server_->port());
  hasty.send("PUT /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 5497558138880\r\n\r\n");
  hasty.send(bytes_);
  EXPECT_THAT(hasty.read_until("not for you\n"), EndsWith("not for you\n"));
}

}  // namespace
}  // namespace http
