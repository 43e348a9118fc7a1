// SPDX-License-Identifier: Apache-2.0
#include "client/shared_files.h"

#include <gmock/gmock.h>

#include <map>

#include "client/settings.h"

namespace client {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kConfig[] = R"(
region = ignored
# a comment
[default]
Region=eu-west-1
[ profile  "dev" ]
  region = eu-central-1
services = lab
; another comment
aws_access_key_id = AKIADEV
aws_secret_access_key = a=b/c+
[services lab]
ecs =
  endpoint_url = http://ecs.lab:4566
sqs=
	endpoint_url = http://sqs.lab
region = x
)";

TEST(SharedFiles, SectionsHaveSettingsAndNestedBlocks) {
  const Sections sections = parse_shared_file(kConfig);
  EXPECT_THAT(sections.at("default"), UnorderedElementsAre(Pair("region", "eu-west-1")));
  EXPECT_EQ(find_profile(sections, "dev")->at("aws_secret_access_key"), "a=b/c+");
  EXPECT_EQ(sections.at("services lab").at("ecs.endpoint_url"), "http://ecs.lab:4566");
  EXPECT_EQ(sections.at("services lab").at("sqs.endpoint_url"), "http://sqs.lab");
  EXPECT_EQ(sections.at("services lab").at("region"), "x");
  EXPECT_EQ(find_profile(sections, "absent"), nullptr);
}

TEST(SharedFiles, AnythingElseIsSkipped) {
  EXPECT_TRUE(parse_shared_file("").empty());
  EXPECT_TRUE(parse_shared_file("x = 1\n=\n").empty());
  EXPECT_THAT(parse_shared_file("[a\n=v\nb\n"), UnorderedElementsAre(Pair("a", Section())));
}

}  // namespace
}  // namespace client
