// SPDX-License-Identifier: Apache-2.0
#include "services/s3/errors.h"

#include <gtest/gtest.h>

#include "wire/validate.h"

namespace services::s3 {
namespace {

const std::string kQueue = "notificationConfiguration.queueConfigurations.1.member.";

std::string code_of(const std::string& path, const std::string& member) {
  const auto error = violation_error({{path, wire::Violation::NotInEnum, "[]", "value", member}});
  return error ? error->code() : "";
}

TEST(Errors, InvalidValuesHaveAmazonsErrors) {
  EXPECT_EQ(code_of("storageClass", "StorageClass"), "InvalidStorageClass");
  EXPECT_EQ(code_of(kQueue + "events.1.member", "Events"), "InvalidArgument");
  EXPECT_EQ(code_of("objectOwnership", "ObjectOwnership"), "InvalidArgument");
  EXPECT_EQ(code_of("ownershipControls.rules.1.member.objectOwnership", "ObjectOwnership"), "MalformedXML");
  EXPECT_EQ(code_of("versioningConfiguration.status", "Status"), "MalformedXML");
}

TEST(Errors, AnInvalidOwnershipIsNamedOnlyInTheMessage) {
  const auto error = violation_error({{"objectOwnership", wire::Violation::NotInEnum, "[]", "mine", "ObjectOwnership"}});
  EXPECT_EQ(error->message(), "Invalid x-amz-object-ownership header: mine");
  ASSERT_EQ(error->details().size(), 1u);
  EXPECT_EQ(error->details()[0].second, "x-amz-object-ownership");
}

TEST(Errors, AChecksumModeMayBeInLowerCase) {
  auto mode = [](const std::string& text) { return violation_error({{"checksumMode", wire::Violation::NotInEnum, "[]", text, "ChecksumMode"}}); };
  EXPECT_FALSE(mode("enabled"));
  EXPECT_EQ(mode("on")->code(), "InvalidArgument");
}

TEST(Errors, AnInvalidMinimumSizeIsNamed) {
  const auto error = violation_error({{"x", wire::Violation::NotInEnum, "[]", "big", "TransitionDefaultMinimumObjectSize"}});
  EXPECT_EQ(error->code(), "InvalidRequest");
  EXPECT_EQ(error->message(), "Invalid TransitionDefaultMinimumObjectSize found: big");
}

TEST(Errors, ValuesThatHandlersJudgePassTheModel) {
  EXPECT_EQ(code_of("createBucketConfiguration.locationConstraint", "LocationConstraint"), "");
  EXPECT_EQ(code_of(kQueue + "filter.key.filterRules.1.member.name", "Name"), "");
  EXPECT_EQ(code_of("elsewhere.name", "Name"), "MalformedXML");
}

TEST(Errors, MaxBucketsHasItsBounds) {
  const auto error = violation_error({{"maxBuckets", wire::Violation::TooLarge, "10000", "10001", "MaxBuckets"}});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), "InvalidArgument");
  EXPECT_STREQ(error->what(), "Argument max-buckets must be an integer between 1 and 10000");
}

}  // namespace
}  // namespace services::s3
