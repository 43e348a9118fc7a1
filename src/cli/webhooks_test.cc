// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"

namespace cli {
namespace {

class Webhooks : public FakeServer {
 protected:
  std::ostringstream out_;
};

TEST_F(Webhooks, ACreatedWebhookIsPrintedWithItsSecret) {
  reply("CreateWebhook", R"({"webhook":{"name":"pager","arn":"arn:x","url":"http://h/","secret":"whsec_s","createdAt":0}})");
  EXPECT_EQ(webhook_create(options_, "pager", "http://h/", out_), 0);
  EXPECT_EQ(out_.str(), "arn = arn:x\nsecret = whsec_s\n");
  EXPECT_THAT(requests("CreateWebhook"), testing::ElementsAre(R"({"name":"pager","url":"http://h/"})"));
}

TEST_F(Webhooks, AllPagesAreListed) {
  reply("ListWebhooks", R"({"webhooks":[{"name":"a","arn":"arn:a","url":"http://a/","createdAt":0}],"nextToken":"t"})");
  reply("ListWebhooks", R"({"webhooks":[{"name":"b","arn":"arn:b","url":"http://b/","createdAt":0}]})");
  EXPECT_EQ(webhook_list(options_, out_), 0);
  EXPECT_THAT(out_.str(), testing::HasSubstr("arn:a"));
  EXPECT_THAT(out_.str(), testing::HasSubstr("arn:b"));
  EXPECT_THAT(requests("ListWebhooks"), testing::ElementsAre("{}", R"({"nextToken":"t"})"));
}

TEST_F(Webhooks, OneIsDeleted) {
  reply("DeleteWebhook", "");
  EXPECT_EQ(webhook_delete(options_, "pager", out_), 0);
  EXPECT_EQ(out_.str(), "deleted pager\n");
  out_.str("");
  options_.json = true;
  EXPECT_EQ(webhook_delete(options_, "pager", out_), 0);
  EXPECT_EQ(out_.str(), "{\"name\":\"pager\"}\n");
}

}  // namespace
}  // namespace cli
