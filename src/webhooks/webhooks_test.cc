// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "webhooks/outbox.h"
#include "webhooks/signature.h"
#include "webhooks/url.h"

namespace webhooks {
namespace {

TEST(Signature, IsThatOfTheSpecificationsExample) {
  const auto key = decode_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  ASSERT_TRUE(key);
  EXPECT_EQ(sign(*key, "msg_p5jXN8AQM9LWM0D4loKWxJek", base::from_seconds(1614265330), R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, SecretsAreChecked) {
  EXPECT_TRUE(decode_secret(new_secret()));
  EXPECT_FALSE(decode_secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
  EXPECT_FALSE(decode_secret("whsec_c2hvcnQ="));
  EXPECT_FALSE(decode_secret("whsec_!"));
}

TEST(Url, IsParsed) {
  const auto url = parse_url("https://Example.com/hooks?a=b");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->endpoint(), "https://example.com:443");
  EXPECT_EQ(url->target, "/hooks?a=b");
  EXPECT_EQ(parse_url("http://[::1]:8080")->endpoint(), "http://[::1]:8080");
  EXPECT_EQ(parse_url("http://h")->target, "/");
  for (const char* text : {"", "ftp://h/", "http://", "http:///x", "http://u:p@h/", "http://h:0/", "http://h:99999/",
                           "http://h/#x", "http://h/ x", "http://h:/", "http://[::1/"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Outbox, AttemptsEndAfterADay) {
  EXPECT_EQ(pause_after(1), std::chrono::seconds(5));
  EXPECT_EQ(pause_after(kMaxAttempts - 1), std::chrono::hours(24));
  EXPECT_EQ(pause_after(kMaxAttempts), std::nullopt);
}

}  // namespace
}  // namespace webhooks
