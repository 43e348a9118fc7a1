// SPDX-License-Identifier: Apache-2.0
#include "control/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace control {
namespace {

TEST(Listen, TakesAnAddressAndAPort) {
  EXPECT_EQ(parse_listen("10.0.0.1:80")->address, "10.0.0.1");
  EXPECT_EQ(parse_listen("10.0.0.1:80")->port, 80);
  EXPECT_EQ(parse_listen("[::1]:4566")->address, "::1");
  EXPECT_EQ(parse_listen(":4566")->address, "0.0.0.0");
  EXPECT_EQ(parse_listen("4566")->address, "127.0.0.1");
}

TEST(Listen, RejectsAnInvalidAddress) {
  for (std::string text : {"", "localhost", "a:b", "127.0.0.1:70000", "127.0.0.1:", "127.0.0.1:1x"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

TEST(ExternalObjects, NeedAnEndpointAndKeys) {
  EXPECT_FALSE(*external_objects({}));
  EXPECT_FALSE(*external_objects({.access_key_id = "id", .secret_access_key = "secret"}));
  EXPECT_FALSE(external_objects({.endpoint = "https://ceph"}));
  EXPECT_FALSE(external_objects({.endpoint = "https://ceph", .access_key_id = "id"}));
  const auto objects = external_objects({.endpoint = "https://ceph", .access_key_id = "id", .secret_access_key = "s"});
  ASSERT_TRUE(objects && *objects);
  EXPECT_EQ((*objects)->endpoint, "https://ceph");
  EXPECT_EQ((*objects)->region, "us-east-1");
}

TEST(ExternalObjects, AreReadByTheNamedAccountsOnly) {
  const auto allowed = allowed_buckets({"000000000000=settings", "000000000000=more", "111111111111=*"});
  ASSERT_TRUE(allowed);
  const ExternalObjects objects{.endpoint = "https://ceph", .allowed = *allowed};
  EXPECT_TRUE(objects.allows("000000000000", "settings", "a.env"));
  EXPECT_TRUE(objects.allows("000000000000", "more", "a.env"));
  EXPECT_FALSE(objects.allows("000000000000", "another", "a.env"));
  EXPECT_TRUE(objects.allows("111111111111", "another", "a.env"));
  EXPECT_FALSE(objects.allows("222222222222", "settings", "a.env"));
  EXPECT_TRUE(objects.allows("111111111111", "another", "a..b/.../c"));
  for (const char* key : {"..", "../other/a.env", "a/../../other/a.env", "a/..", "./a", "a/."}) {
    EXPECT_FALSE(objects.allows("111111111111", "another", key)) << key;
  }
  EXPECT_FALSE(objects.allows("111111111111", "..", "a.env"));
  for (const char* text : {"", "settings", "1=settings", "000000000000=", "=settings"}) {
    EXPECT_FALSE(allowed_buckets({text})) << text;
  }
}

TEST(ExternalObjects, AUrlIsPresignedAndHasNoSecret) {
  const ExternalObjects objects{.endpoint = "https://ceph:7480/s3/", .region = "r", .access_key_id = "ID",
                                .secret_access_key = "VERYSECRET"};
  const std::string url = objects.url_of("bucket", "a b/c.env", base::from_seconds(1800000000));
  EXPECT_TRUE(url.starts_with("https://ceph:7480/s3/bucket/a%20b/c.env?")) << url;
  EXPECT_NE(url.find("X-Amz-Signature="), url.npos);
  EXPECT_EQ(url.find("VERYSECRET"), url.npos);
}

TEST(ConnectionSettingsTest, SharesFollowTheNumberOfAllConnections) {
  const http::AdmissionLimits limits = admission_limits({.all = 2400});
  EXPECT_EQ(limits.agents, 400u);
  EXPECT_EQ(limits.clients, 400u);
  EXPECT_EQ(limits.unknown, 400u);
  EXPECT_EQ(limits.per_address, 100u);
  EXPECT_EQ(limits.per_account, 1200u);
  EXPECT_EQ(limits.agents_per_account, 1400u);
  EXPECT_EQ(limits.all_per_account, 1800u);
  EXPECT_EQ(admission_limits({.all = 2400, .per_account = 2000}).all_per_account, 2000u);
  EXPECT_GE(admission_limits({}).agents_per_account, 20000u) << "two sessions for each of 10,000 machines";
  EXPECT_EQ(admission_limits({.all = 2400, .per_address = 7, .per_account = 8}).per_address, 7u);
  EXPECT_EQ(body_limits(100).per_owner, 25u);
  EXPECT_EQ(account_body_limits(100).per_owner, 50u);
}

TEST(AllowedConnections, LeaveFilesForTheDatabaseAndObjects) {
  EXPECT_EQ(*allowed_connections(1 << 20, 36864, 2), 36864u);
  EXPECT_EQ(*allowed_connections(37888, 36864, 2), 36864u);
  EXPECT_EQ(*allowed_connections(37887, 36864, 2), 36863u);
  EXPECT_EQ(*allowed_connections(4096, 36864, 2), 3072u);
  EXPECT_EQ(*allowed_connections(1024, 36864, 2), 512u);
  EXPECT_EQ(*allowed_connections(256, 36864, 2), 128u);
  EXPECT_EQ(*allowed_connections(1024, 100, 2), 100u);
}

TEST(AllowedConnections, ALimitThatIsTooLowIsAnErrorThatSaysWhatToDo) {
  EXPECT_TRUE(allowed_connections(208, 10, 2));
  EXPECT_EQ(allowed_connections(207, 10, 2).error(),
            "the limit of open files (ulimit -Hn) is 207, and a server with 2 threads needs at least 208: raise it "
            "(systemd: LimitNOFILE=)");
  EXPECT_FALSE(allowed_connections(256, 10, 64));
}

TEST(MetricsToken, IsTheFirstLineOfItsFile) {
  const std::string path = testing::TempDir() + "metrics_token";
  std::ofstream(path) << " 0123456789abcdef \nsecond\n";
  EXPECT_EQ(*read_token_file(path), "0123456789abcdef");
  std::ofstream(path) << "short\n";
  EXPECT_FALSE(read_token_file(path));
}

TEST(Config, QuotasOfAccountsReplaceTheCommonOne) {
  const auto quotas = account_quotas({.bytes = 10}, {"222222222222:bytes=20", "222222222222:queues=1"});
  ASSERT_TRUE(quotas);
  EXPECT_EQ(quotas->of("111111111111").bytes, 10);
  EXPECT_EQ(quotas->of("222222222222"), (services::Quota{.bytes = 10, .queues = 1})) << "the last one counts";
  EXPECT_THAT(account_quotas({}, {"x"}).error(), testing::HasSubstr("--account-quota: 'x' is not a quota"));
}

}  // namespace
}  // namespace control
