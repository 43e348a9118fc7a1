// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_lock.h"

#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/buckets/lock_configuration.h"
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"

namespace services::s3 {
namespace {

using std::chrono::days;

class ObjectLock : public ObjectTest {
 protected:
  ObjectLock() {
    version("Enabled");
    run(&put_object_lock_configuration, {.Bucket = "bucket", .ObjectLockConfiguration = enabled()});
  }
  static shape::ObjectLockConfiguration enabled(std::optional<shape::ObjectLockRule> rule = {}) {
    return {.ObjectLockEnabled = "Enabled", .Rule = std::move(rule)};
  }
  std::string retain(const std::string& mode, base::Duration time, std::optional<bool> bypass = {}) {
    shape::ObjectLockRetention retention{.Mode = mode, .RetainUntilDate = now_ + time};
    return error_of(&put_object_retention, {.Bucket = "bucket",
                                            .Key = "k",
                                            .Retention = retention,
                                            .BypassGovernanceRetention = bypass});
  }
  std::string remove(const std::string& id, std::optional<bool> bypass = {}) {
    return error_of(&delete_object,
                    {.Bucket = "bucket", .Key = "k", .VersionId = id, .BypassGovernanceRetention = bypass});
  }
};

TEST_F(ObjectLock, ARetentionEndsWithItsTime) {
  const std::string id = *put_bytes("k", "hello").VersionId;
  EXPECT_EQ(retain("COMPLIANCE", days(2)), "");
  EXPECT_EQ(remove(id), "AccessDenied");
  advance(days(1));
  EXPECT_EQ(remove(id, true), "AccessDenied");
  advance(days(1));
  // It can be read as long as the version exists.
  EXPECT_EQ(run(&get_object_retention, {.Bucket = "bucket", .Key = "k"}).Retention->Mode, "COMPLIANCE");
  EXPECT_EQ(retain("GOVERNANCE", days(1)), "");
  EXPECT_EQ(remove(id), "AccessDenied");
  advance(days(1));
  EXPECT_EQ(remove(id), "");
}

TEST_F(ObjectLock, TheDefaultRetentionCountsFromTheWrite) {
  const shape::DefaultRetention two_years{.Mode = "GOVERNANCE", .Years = 2};
  run(&put_object_lock_configuration,
      {.Bucket = "bucket", .ObjectLockConfiguration = enabled(shape::ObjectLockRule{two_years})});
  advance(days(7));
  const auto put = put_bytes({.Bucket = "bucket", .ContentMD5 = "XUFAKrxLKna5cZ2REBfFkg==", .Key = "k"}, "hello");
  const auto retention = run(&get_object_retention, {.Bucket = "bucket", .Key = "k"}).Retention;
  EXPECT_EQ(retention->Mode, "GOVERNANCE");
  EXPECT_EQ(retention->RetainUntilDate, now_ + days(730));
  EXPECT_EQ(error_of([&] { put_bytes("k", "hello"); }), "InvalidRequest");  // without a digest
  put_bytes({.Bucket = "bucket", .Key = "t"}, "hello", {{"x-amz-checksum-crc64nvme", *put.ChecksumCRC64NVME}});
}

TEST_F(ObjectLock, ABypassNeedsItsPermission) {
  const std::string id = *put_bytes("k", "hello").VersionId;
  EXPECT_EQ(retain("GOVERNANCE", days(2)), "");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny",
      "Principal":"*","Action":"s3:BypassGovernanceRetention","Resource":"arn:aws:s3:::bucket/*"}]})"});
  EXPECT_EQ(retain("GOVERNANCE", days(1), true), "AccessDenied");
  EXPECT_EQ(remove(id, true), "AccessDenied");
  run(&delete_bucket_policy, {.Bucket = "bucket"});
  EXPECT_EQ(remove(id, true), "");
}

TEST_F(ObjectLock, ABucketMayBeCreatedWithIt) {
  run(&create_bucket, {.Bucket = "locked", .ObjectLockEnabledForBucket = true});
  EXPECT_EQ(run(&get_object_lock_configuration, {.Bucket = "locked"}).ObjectLockConfiguration, enabled());
}

}  // namespace
}  // namespace services::s3
