// SPDX-License-Identifier: Apache-2.0
#include "client/objects.h"

#include <gtest/gtest.h>

#include "http/block_on.h"
#include "http/server.h"
#include "signing/sigv4.h"

namespace client {
namespace {

namespace asio = boost::asio;

// An S3 with one response, which records the request.
class Objects : public ::testing::Test {
 protected:
  Objects() : server_(io_, [this](http::Exchange& exchange) { return handle(exchange); }) {
    server_.listen_tcp("127.0.0.1", 0);
    profile_.endpoint = "http://127.0.0.1:" + std::to_string(server_.port());
    profile_.credentials = {"AKID", "secret", "token"};
    profile_.region = "eu-west-1";
  }

  ObjectRead get(ObjectName name, std::size_t most = 100) {
    return http::block_on(io_.at(0), get_object(io_, profile_, std::move(name), most));
  }

  http::IoThreads io_{1};
  http::Response answer_;
  http::RequestHead asked_;
  Profile profile_;
  http::Server server_;

 private:
  asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    asked_ = exchange.head();
    co_return answer_;
  }
};

http::Response error(int status, std::string body) {
  return {status, {{"Content-Type", "application/xml"}}, std::move(body)};
}

TEST_F(Objects, AreRequestedByPathAndSignedForS3) {
  answer_.body = "A=1\n";
  ObjectRead read = get({"bucket", "a folder/ä+b.env"});
  ASSERT_TRUE(read.bytes) << read.bytes.error();
  EXPECT_EQ(*read.bytes, "A=1\n");
  EXPECT_EQ(asked_.method, "GET");
  EXPECT_EQ(asked_.target, "/bucket/a%20folder/%C3%A4%2Bb.env");
  signing::ClaimResult claim = signing::parse_claim(asked_);
  ASSERT_TRUE(claim) << claim.message;
  EXPECT_EQ(claim.claim.service, "s3");
  EXPECT_EQ(claim.claim.region, "eu-west-1");
  EXPECT_EQ(claim.claim.session_token, "token");
  const signing::SigningKey key("secret", claim.claim.scope());
  const bool s3 = true;
  EXPECT_TRUE(signing::verify_without_body(claim.claim, asked_, key, base::SystemClock().now(), s3));
}

TEST_F(Objects, AreBelowTheEndpointsPath) {
  profile_.endpoint += "/storage/v1/s3/";
  get({"bucket", "key"});
  EXPECT_EQ(asked_.target, "/storage/v1/s3/bucket/key");
}

TEST_F(Objects, ReportsTheErrorOfS3) {
  answer_ = error(404,
                  "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not "
                  "exist.</Message><Key>k</Key><RequestId>R1</RequestId><HostId>h</HostId></Error>");
  ObjectRead read = get({"b", "k"});
  ASSERT_FALSE(read.bytes);
  EXPECT_EQ(read.bytes.error(), "NoSuchKey: The specified key does not exist. status code: 404, request id: R1");
  EXPECT_FALSE(read.retryable);
}

TEST_F(Objects, ReportsTheStatusWhenTheBodyIsNotAnS3Error) {
  for (std::string body : {"", "<html><body>403</body></html>", "<Error", "not found"}) {
    answer_ = error(403, body);
    ObjectRead read = get({"b", "k"});
    ASSERT_FALSE(read.bytes);
    EXPECT_EQ(read.bytes.error(), "status code: 403") << body;
    EXPECT_FALSE(read.retryable);
  }
}

TEST_F(Objects, AnErrorOfABusyServerIsRetryable) {
  for (int status : {429, 500, 502, 503}) {
    answer_ = error(status, "");
    EXPECT_TRUE(get({"b", "k"}).retryable) << status;
  }
  answer_ = error(400, "<Error><Code>RequestTimeout</Code><Message>slow</Message></Error>");
  EXPECT_TRUE(get({"b", "k"}).retryable);
}

TEST_F(Objects, AFailedConnectionIsRetryable) {
  profile_.endpoint = "http://127.0.0.1:1";
  ObjectRead read = get({"b", "k"});
  ASSERT_FALSE(read.bytes);
  EXPECT_NE(read.bytes.error().find("http://127.0.0.1:1 does not answer"), std::string::npos);
  EXPECT_TRUE(read.retryable);
}

TEST_F(Objects, RejectsAnObjectThatIsTooLarge) {
  answer_.body = std::string(100, 'x');
  EXPECT_TRUE(get({"b", "k"}, 100).bytes);
  ObjectRead read = get({"b", "k"}, 99);
  ASSERT_FALSE(read.bytes);
  EXPECT_EQ(read.bytes.error(), "the object has more than 99 bytes");
  EXPECT_FALSE(read.retryable);
}

TEST(ObjectArn, NamesBucketAndKey) {
  auto name = parse_object_arn("arn:aws:s3:::bucket/path/a:b.env");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->bucket, "bucket");
  EXPECT_EQ(name->key, "path/a:b.env");
  EXPECT_TRUE(parse_object_arn("arn:aws-us-gov:s3:::b/k"));
  for (std::string arn : {"", "arn:", "arn:aws", "arn::s3:::b/k", "arn:aws:sqs:::b/k", "arn:aws:s3:::b",
                          "arn:aws:s3:::b/", "arn:aws:s3:::/k", "arn:aws:s3:us-east-1::b/k", "s3://b/k"}) {
    EXPECT_FALSE(parse_object_arn(arn)) << arn;
  }
}

}  // namespace
}  // namespace client
