// SPDX-License-Identifier: Apache-2.0
// Requests to the door, with a small service behind it.
#include "doors/objects/objects_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "api/dispatch.h"
#include "api/rpc_door.h"
#include "doors/objects/shelf_service.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "signing/sigv4.h"
#include "store/test_store.h"

namespace doors::objects {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Another door, with a path of its own.
class HealthDoor : public api::Door {
 public:
  bool reserves(std::string_view path) const override { return path == "/health"; }
  bool accepts(const api::Arrival& arrival) const override { return reserves(arrival.head.path()); }
  boost::asio::awaitable<http::Response> serve(http::Exchange&, signing::ClaimResult) override {
    co_return http::text_response(200, "{\"status\":\"ok\"}");
  }
};

class ObjectsDoorTest : public testing::Test {
 protected:
  ObjectsDoorTest() {
    base::set_log_level(base::LogLevel::Off);
    store_->write_now([&](store::Tx& tx) { key_ = state::ensure_root_key(tx, "111122223333", clock_.now()); });
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~ObjectsDoorTest() override {
    server_.drain();
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  // Sends an unsigned request, with a Content-Length, and returns the response.
  std::string send(const std::string& method, const std::string& target, base::Headers headers = {},
                  const std::string& body = "") {
    if (!headers.find("Host")) headers.add("Host", host());
    std::string text = method + " " + target + " HTTP/1.1\r\n";
    if (!headers.find("Content-Length") && !headers.find("Transfer-Encoding") && method != "GET" && method != "HEAD") {
      headers.add("Content-Length", std::to_string(body.size()));
    }
    headers.set("Connection", "close");
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    http::RawClient client(server_.port());
    client.send(text + "\r\n");
    client.send(body);
    return client.read_to_end();
  }
  std::string send_signed(const std::string& method, const std::string& target, base::Headers headers = {},
                         const std::string& body = "", const std::string& service = "s3") {
    if (!headers.find("Host")) headers.add("Host", host());
    http::Request request{{method, target, std::move(headers)}, body};
    signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", service, clock_.now());
    return send(method, target, request.head.headers, body);
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ + "/objects")) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    return names;
  }
  // Waits until the disk threads have kept and dropped their files.
  void settle() { disk_.reset(); }

  const std::string folder_ = testing::TempDir() + "rest_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations(), shelf::migrations()});
  ::objects::Files files_{folder_ + "/objects"};
  std::unique_ptr<::objects::DiskThreads> disk_ = std::make_unique<::objects::DiskThreads>(2);
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  api::Registry registry_{{shelf::service()}};
  api::Metrics metrics_{registry_.services()};
  api::RequestLog log_{metrics_};
  api::Authenticator authenticator_{engine_};
  ObjectsDoor objects_{{engine_, authenticator_, registry_.services()[0], log_, metrics_, {&files_, disk_.get()},
                        {"example.com"}},
                       shelf::table()};
  HealthDoor pages_;
  api::RpcDoor rpc_{engine_, authenticator_, registry_, log_};
  api::Dispatcher dispatcher_{{&objects_, &pages_, &rpc_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
  state::Key key_;
};

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST_F(ObjectsDoorTest, ASmallBodyIsARowAndALargeOneAFile) {
  const std::string large(200'000, 'x');
  EXPECT_THAT(send_signed("PUT", "/photos/small", {}, "hello"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(files().size(), 0u);
  EXPECT_THAT(send_signed("PUT", "/photos/large", {}, large), HasSubstr("ETag: " + base::to_hex(base::md5(large))));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(body_of(send_signed("GET", "/photos/small")), "hello");
  EXPECT_EQ(body_of(send_signed("GET", "/photos/large")), large);
  const std::string head = send_signed("HEAD", "/photos/large");
  EXPECT_THAT(head, HasSubstr("x-amz-request-id: "));
  EXPECT_EQ(body_of(head), "");
  settle();
  EXPECT_FALSE(std::filesystem::is_empty(folder_ + "/objects"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/objects/incoming"));
}

TEST_F(ObjectsDoorTest, KeysAreBytes) {
  for (const char* key : {"a/b", "/a", "a//b", "../x", "./.", "a%2Fb%2f", "a+b", "a%20b", "%E2%82%AC", "a/", "a?x-id=P"}) {
    EXPECT_THAT(send_signed("PUT", std::string("/photos/") + key, {}, key), StartsWith("HTTP/1.1 200")) << key;
    EXPECT_EQ(body_of(send_signed("GET", std::string("/photos/") + key)), key);
  }
  EXPECT_EQ(body_of(send_signed("GET", "/photos/a%2Bb")), "a+b");
  EXPECT_EQ(body_of(send_signed("GET", "/photos/%2Fa")), "/a");
}

TEST_F(ObjectsDoorTest, TheHostMayNameTheBucket) {
  send_signed("PUT", "/photos/a/b", {}, "hello");
  EXPECT_EQ(body_of(send_signed("GET", "/a/b", {{"Host", "photos.localhost:4566"}})), "hello");
  EXPECT_EQ(body_of(send_signed("GET", "/a/b", {{"Host", "photos.example.com"}})), "hello");
  EXPECT_EQ(body_of(send("GET", "/a/b", {{"Host", "photos.s3.amazonaws.com"}})), "hello");
  send_signed("PUT", "/health", {{"Host", "photos.localhost"}}, "mine");
  EXPECT_EQ(body_of(send("GET", "/health", {{"Host", "photos.localhost"}})), "mine");
  EXPECT_EQ(body_of(send("GET", "/photos/health")), "mine");
}

TEST_F(ObjectsDoorTest, AReservedPathNamesABucketOnlyInASignedRequest) {
  EXPECT_THAT(send("GET", "/health"), HasSubstr("\"status\":\"ok\""));
  EXPECT_THAT(send_signed("PUT", "/health/key", {}, "in it"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(body_of(send("GET", "/health/key")), "in it");
  EXPECT_THAT(send_signed("PUT", "/health?words", {}, ""), HasSubstr("<Text>nothing</Text>"));
  const std::string counted = metrics_.text({});
  EXPECT_THAT(counted, HasSubstr("stoker_object_bytes_total{direction=\"in\",service=\"s3\"} 5"));
  EXPECT_THAT(counted, HasSubstr("stoker_object_bytes_total{direction=\"out\",service=\"s3\"} 5"));
}

TEST_F(ObjectsDoorTest, TheServiceDecidesAboutUnsignedRequests) {
  EXPECT_THAT(send("PUT", "/photos/a", {}, "hello"), HasSubstr("x-caller: @127.0.0.1\r\n"));
  EXPECT_THAT(send_signed("PUT", "/photos/a", {}, "hello"), HasSubstr("x-caller: 111122223333@127.0.0.1\r\n"));
  const std::string refused = send("PUT", "/private/a", {}, "hello");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(refused, HasSubstr("<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>"));
}

TEST_F(ObjectsDoorTest, ARejectedRequestLeavesNoFile) {
  const std::string large(200'000, 'x');
  EXPECT_THAT(send_signed("PUT", "/photos/refused", {}, large), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(send_signed("PUT", "/photos/a", {{"X-Amz-Content-Sha256", base::to_hex(base::sha256("other"))}}, large),
              HasSubstr("<Code>XAmzContentSHA256Mismatch</Code>"));
  EXPECT_THAT(send_signed("PUT", "/photos/a", {}, std::string(10'000'001, 'x')), HasSubstr("<Code>EntityTooLarge</Code>"));
  settle();
  EXPECT_EQ(files().size(), 0u);
}

TEST_F(ObjectsDoorTest, AForbiddenWriteIsRejectedBeforeItsBodyIsRead) {
  http::RawClient client(server_.port());
  client.send("PUT /private/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 403"));
}

TEST_F(ObjectsDoorTest, AnUploadNeedsAContentLength) {
  EXPECT_THAT(send("PUT", "/photos/a", {{"Transfer-Encoding", "chunked"}}, "0\r\n\r\n"),
              HasSubstr("<Header>Transfer-Encoding</Header>"));
  http::RawClient client(server_.port());
  client.send("PUT /photos/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), HasSubstr("<Code>MissingContentLength</Code>"));
}

TEST_F(ObjectsDoorTest, AwsChunkedBodiesAreDecoded) {
  const base::Headers headers = {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
                                 {"x-amz-decoded-content-length", "5"},
                                 {"x-amz-trailer", "x-amz-checksum-crc32"},
                                 {"Content-Encoding", "gzip, aws-chunked"}};
  const std::string answer =
      send("PUT", "/photos/a", headers, "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("x-trailer: x-amz-checksum-crc32=NhCmhg=="));
  EXPECT_THAT(answer, HasSubstr("x-encoding: gzip\r\n"));
  EXPECT_EQ(body_of(send("GET", "/photos/a")), "hello");
  EXPECT_THAT(send("PUT", "/photos/a", headers, "3\r\nhel\r\n0\r\n\r\n"), HasSubstr("<Code>IncompleteBody</Code>"));
}

TEST_F(ObjectsDoorTest, ACopyReadsTheBytesOfItsSource) {
  const std::string large(200'000, 'x');
  send_signed("PUT", "/photos/large", {}, large);
  send_signed("PUT", "/photos/small", {}, "hello");
  send_signed("PUT", "/photos/c", {{"x-amz-copy-source", "photos/small"}});
  EXPECT_EQ(body_of(send("GET", "/photos/c")), "hello");
  const std::string copied = send_signed("PUT", "/photos/c", {{"x-amz-copy-source", "photos/large"}});
  EXPECT_THAT(copied, HasSubstr("ETag: " + base::to_hex(base::md5(large))));
  EXPECT_EQ(body_of(send("GET", "/photos/c")), large);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ObjectsDoorTest, AMissingFileIsAnInternalError) {
  send_signed("PUT", "/photos/large", {}, std::string(200'000, 'x'));
  files_.drop(files().front());
  EXPECT_THAT(send("GET", "/photos/large"), HasSubstr("<Code>InternalError</Code>"));
  EXPECT_THAT(send_signed("PUT", "/photos/c", {{"x-amz-copy-source", "photos/large"}}),
              HasSubstr("<Code>InternalError</Code>"));
}

TEST_F(ObjectsDoorTest, AWholeBodyMustMatchItsDigests) {
  const std::string xml = "<Words xmlns=\"http://any/\"><Text>hi</Text></Words>";
  const std::string md5 = base::to_base64(base::md5(xml)), sha = base::to_base64(base::sha256(xml));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {{"Content-MD5", md5}, {"x-amz-checksum-sha256", sha}}, xml),
              HasSubstr("<Text>hi</Text>"));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {{"Content-MD5", base::to_base64(base::md5(""))}}, xml),
              HasSubstr("<Code>BadDigest</Code>"));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {{"Content-MD5", "abc"}}, xml), HasSubstr("<Code>InvalidDigest</Code>"));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {{"x-amz-checksum-crc32", "AAAAAA=="}}, xml),
              HasSubstr("The CRC32 you specified did not match the calculated checksum."));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {{"x-amz-checksum-crc32", "AAAA"}}, xml),
              HasSubstr("Value for x-amz-checksum-crc32 header is invalid."));
  EXPECT_THAT(send_signed("PUT", "/photos?words", {}, std::string(5000, ' ')),
              HasSubstr("<Code>MaxMessageLengthExceeded</Code>"));
}

TEST_F(ObjectsDoorTest, AFormIsSignedByItsFields) {
  const std::string policy = base::to_base64("{}");
  const std::string now = "20260101T000000Z", scope = "20260101/us-east-1/s3/aws4_request";
  const std::string signature = signing::SigningKey(key_.secret, {"20260101", "us-east-1", "s3"}).sign(policy);
  auto form = [&](const std::string& sign) {
    std::string body;
    auto add = [&](const std::string& name, const std::string& value) {
      body += "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    };
    add("Key", "k-");
    if (!sign.empty()) {
      add("x-amz-credential", key_.id + "/" + scope);
      add("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
      add("X-Amz-Date", now);
      add("Policy", policy);
      add("X-Amz-Signature", sign);
    }
    return body + "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n\r\nhello\r\n--x--\r\n";
  };
  const base::Headers type = {{"Content-Type", "multipart/form-data; boundary=x"}};
  const std::string answer = send("POST", "/private", type, form(signature));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(answer, HasSubstr("x-caller: 111122223333@127.0.0.1"));
  EXPECT_EQ(body_of(send_signed("GET", "/private/k-f.txt")), "hello");
  EXPECT_THAT(send("POST", "/private", type, form(std::string(64, '0'))), HasSubstr("<Code>SignatureDoesNotMatch</Code>"));
  EXPECT_THAT(send("POST", "/private", type, form("")), HasSubstr("<Code>AccessDenied</Code>"));
  EXPECT_THAT(send("POST", "/photos", type, form("")), StartsWith("HTTP/1.1 204"));
  const base::Headers hosted = {{"Host", "private.localhost"}, {"Content-Type", "multipart/form-data; boundary=x"}};
  EXPECT_THAT(send("POST", "/", hosted, form(signature)), StartsWith("HTTP/1.1 204"));
  // A signature of the request itself covers the whole form.
  EXPECT_THAT(send_signed("POST", "/private", type, form("")), StartsWith("HTTP/1.1 204"));
  http::Request request{{"POST", "/private", {{"Host", host()}, type.begin()[0]}}, form("")};
  signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", "s3", clock_.now());
  std::string changed = request.body;
  changed.replace(changed.find("hello"), 5, "other");
  EXPECT_THAT(send("POST", "/private", request.head.headers, changed),
              HasSubstr("<Code>XAmzContentSHA256Mismatch</Code>"));
  // A second policy after the signed one is rejected.
  const std::string another = "--x\r\nContent-Disposition: form-data; name=\"policy\"\r\n\r\nmine\r\n";
  std::string two = form(signature);
  two.insert(two.rfind("--x\r\n"), another);
  EXPECT_THAT(send("POST", "/private", type, two), HasSubstr("<Code>InvalidArgument</Code>"));
}

TEST_F(ObjectsDoorTest, InvalidSignaturesHaveS3sErrors) {
  EXPECT_THAT(send("GET", "/a/b", {{"Authorization", "AWS4-HMAC-SHA256 nonsense"}}),
              HasSubstr("<Code>AuthorizationHeaderMalformed</Code>"));
  EXPECT_THAT(send("GET", "/a/b", {{"Authorization", "AWS a:b"}}), HasSubstr("<Code>InvalidRequest</Code>"));
  http::Request request{{"GET", "/a/b", {{"Host", host()}}}, ""};
  signing::sign(request, {"NOBODY", "x", ""}, "us-east-1", "s3", clock_.now());
  EXPECT_THAT(send("GET", "/a/b", request.head.headers), HasSubstr("<AWSAccessKeyId>NOBODY</AWSAccessKeyId>"));
  request.head.headers = {{"Host", host()}};
  signing::sign(request, {key_.id, "wrong", ""}, "us-east-1", "s3", clock_.now());
  EXPECT_THAT(send("GET", "/a/b", request.head.headers), HasSubstr("<Code>SignatureDoesNotMatch</Code>"));
  request.head.headers = {{"Host", host()}};
  signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", "s3", clock_.now() - std::chrono::hours(1));
  EXPECT_THAT(send("GET", "/a/b", request.head.headers), HasSubstr("<Code>RequestTimeTooSkewed</Code>"));
  request.head.headers = {{"Host", host()}};
  signing::sign(request, {key_.id, key_.secret, "token"}, "us-east-1", "s3", clock_.now());
  EXPECT_THAT(send("GET", "/a/b", request.head.headers), HasSubstr("<Code>InvalidToken</Code>"));
}

TEST_F(ObjectsDoorTest, APresignedUrlNeedsNoKey) {
  const signing::Credentials root{key_.id, key_.secret, ""};
  const http::RequestHead put{"PUT", "/private/a", {{"Host", host()}}};
  const auto minute = std::chrono::seconds(60);
  EXPECT_THAT(send("PUT", signing::presign(put, root, "us-east-1", "s3", minute, clock_.now()), {}, "hello"),
              StartsWith("HTTP/1.1 200"));
  const http::RequestHead get{"GET", "/private/a", {{"Host", host()}}};
  EXPECT_EQ(body_of(send("GET", signing::presign(get, root, "us-east-1", "s3", minute, clock_.now()))), "hello");
  const auto before = clock_.now() - std::chrono::hours(1);
  const std::string late = send("GET", signing::presign(get, root, "us-east-1", "s3", minute, before));
  EXPECT_THAT(late, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(late, HasSubstr("<Message>Request has expired</Message><X-Amz-Expires>60</X-Amz-Expires>"));
}

TEST_F(ObjectsDoorTest, CrossOriginRequestsGetTheServicesCorsHeaders) {
  const std::string allowed = send("OPTIONS", "/photos/a", {{"Origin", "http://friend"},
                                                         {"Access-Control-Request-Method", "PUT"}});
  EXPECT_THAT(allowed, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(allowed, HasSubstr("x-asked: PUT"));
  EXPECT_THAT(send("OPTIONS", "/photos/a", {{"Origin", "http://other"}, {"Access-Control-Request-Method", "PUT"}}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(send("OPTIONS", "/photos/a"), HasSubstr("<Code>BadRequest</Code>"));
  EXPECT_THAT(send("OPTIONS", "/photos/a", {{"Origin", "http://friend"}}),
              HasSubstr("<Message>Invalid Access-Control-Request-Method: null</Message>"));
  EXPECT_THAT(send("GET", "/photos/none", {{"Origin", "http://friend"}}),
              HasSubstr("Access-Control-Allow-Origin: http://friend"));
  EXPECT_THAT(send("GET", "/photos/none", {{"Origin", "http://other"}}), Not(HasSubstr("Access-Control")));
}

TEST_F(ObjectsDoorTest, UnsupportedRequestsAreRejected) {
  EXPECT_THAT(send_signed("GET", "/photos/a?torrent"), StartsWith("HTTP/1.1 501"));
  const std::string answer = send_signed("DELETE", "/photos/a");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(answer, HasSubstr("Allow: PUT, GET, HEAD\r\n"));
  const std::string head = send("HEAD", "/photos/none");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(body_of(head), "");
  EXPECT_THAT(send("GET", "/%zz/a"), HasSubstr("<Code>InvalidURI</Code>"));
}

}  // namespace
}  // namespace doors::objects
