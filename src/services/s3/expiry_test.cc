// SPDX-License-Identifier: Apache-2.0
#include "services/s3/expiry.h"

#include "services/s3/buckets/lifecycle_operations.h"
#include "services/s3/buckets/notification_operations.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/buckets/lock_configuration.h"
#include "services/s3/objects/get_object.h"
#include "services/s3/objects/object_lock.h"
#include "services/s3/s3_fixture.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

using std::chrono::days;
using std::chrono::hours;

class Lifecycle : public S3Test {
 protected:
  Lifecycle() { make_bucket(); }

  std::string set(std::vector<shape::LifecycleRule> rules) {
    return error_of(&put_bucket_lifecycle_configuration,
                    {.Bucket = "bucket",
                     .LifecycleConfiguration = shape::BucketLifecycleConfiguration{std::move(rules)}});
  }
  static shape::LifecycleRule rule(std::optional<shape::LifecycleExpiration> expiration,
                                   std::optional<shape::LifecycleRuleFilter> filter = shape::LifecycleRuleFilter()) {
    return {.Expiration = expiration, .ID = "r", .Filter = filter, .Status = "Enabled"};
  }
  static shape::LifecycleRule after(std::int32_t count, const std::string& prefix = "") {
    return rule(shape::LifecycleExpiration{.Days = count}, shape::LifecycleRuleFilter{.Prefix = prefix});
  }
  Decision look() {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      decision = look_for_expired(call, state_);
    });
    return decision;
  }
  // One look, and its decision applied.
  std::optional<base::Time> take_turn() {
    const Decision decision = look();
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  // Turns until nothing is left to do before the next midnight.
  void sweep() {
    for (int turn = 0; turn < 1000; ++turn) {
      auto next = take_turn();
      if (*next - now_ > std::chrono::seconds(1)) {
        EXPECT_EQ(*next, midnight_after(now_ + base::Duration(1), 0));
        return;
      }
    }
    FAIL() << "the sweep does not end";
  }
  // "key" of objects, "key!" of markers, newest first.
  std::vector<std::string> left() {
    return with_call([&](Call& call) {
      return call.tx.query("SELECT key, marker FROM s3_objects ORDER BY key, id DESC").all([](const store::Row& row) {
        return row.str(0) + (row.boolean(1) ? "!" : "");
      });
    });
  }
  void hear_of_everything() {
    const std::string queue = "arn:aws:sqs:us-east-1:111111111111:q";
    queues_ = {queue};
    shape::QueueConfiguration all{.QueueArn = queue, .Events = {"s3:LifecycleExpiration:*"}};
    run(&put_bucket_notification_configuration,
        {.Bucket = "bucket", .NotificationConfiguration = {.QueueConfigurations = {{all}}}});
    sent_.clear();
  }
  bool heard(const std::string& event) {
    return std::any_of(sent_.begin(), sent_.end(), [&](const auto& message) {
      return message.second.find("\"eventName\":\"" + event + "\"") != std::string::npos;
    });
  }

  using Names = std::vector<std::string>;
  std::shared_ptr<ExpiryState> state_ = std::make_shared<ExpiryState>();
};

TEST_F(Lifecycle, DaysAreCountedAndThenRoundedUpToMidnight) {
  const base::Time made = *wire::from_iso8601("2027-01-15T10:30:00Z");
  EXPECT_EQ(midnight_after(made, 3), *wire::from_iso8601("2027-01-19T00:00:00Z"));
  EXPECT_EQ(midnight_after(*wire::from_iso8601("2027-01-15T00:00:00Z"), 3), *wire::from_iso8601("2027-01-18T00:00:00Z"));
  EXPECT_EQ(midnight_after(made, 2147483647), *wire::from_iso8601("9999-12-31T00:00:00Z"));
}

TEST_F(Lifecycle, AnObjectExpiresAtItsMidnightAndNotBefore) {
  set({after(1)});
  put("k");  // at 08:00 on the 15th
  now_ = *wire::from_iso8601("2027-01-16T23:59:00Z");
  sweep();
  EXPECT_EQ(left(), Names{"k"});
  now_ = *wire::from_iso8601("2027-01-17T00:00:00Z");
  sweep();
  EXPECT_EQ(left(), Names());
}

TEST_F(Lifecycle, OnlyObjectsThatARuleCoversExpire) {
  set({rule(shape::LifecycleExpiration{.Days = 1},
            shape::LifecycleRuleFilter{.And = shape::LifecycleRuleAndOperator{.Prefix = "logs/",
                                                                              .Tags = {{{"keep", "no"}}},
                                                                              .ObjectSizeGreaterThan = 10,
                                                                              .ObjectSizeLessThan = 20}})});
  put("logs/a", "bucket", 11, {{"keep", "no"}, {"x", "y"}});
  put("logs/b", "bucket", 10, {{"keep", "no"}});
  put("logs/c", "bucket", 20, {{"keep", "no"}});
  put("logs/d", "bucket", 11, {{"keep", "yes"}});
  put("logs/e", "bucket", 11);
  put("data/a", "bucket", 11, {{"keep", "no"}});
  advance(days(3));
  sweep();
  EXPECT_EQ(left(), (Names{"data/a", "logs/b", "logs/c", "logs/d", "logs/e"}));
}

TEST_F(Lifecycle, ADisabledRuleDoesNothing) {
  auto sleeping = after(1);
  sleeping.Status = "Disabled";
  set({sleeping});
  put("k");
  advance(days(9));
  sweep();
  EXPECT_EQ(left(), Names{"k"});
}

TEST_F(Lifecycle, ADateExpiresEverythingFromThenOn) {
  set({rule(shape::LifecycleExpiration{.Date = *wire::from_iso8601("2027-01-20T00:00:00Z")})});
  put("k");
  now_ = *wire::from_iso8601("2027-01-19T23:00:00Z");
  sweep();
  EXPECT_EQ(left(), Names{"k"});
  advance(hours(2));
  sweep();
  EXPECT_EQ(left(), Names());
}

TEST_F(Lifecycle, AChangedConfigurationIsAppliedAgain) {
  put("k");
  advance(days(9));
  set({after(100)});
  sweep();
  EXPECT_EQ(left(), Names{"k"});
  set({after(5)});
  EXPECT_EQ(wakes_.at(0).topic, kExpiryTopic);
  sweep();
  EXPECT_EQ(left(), Names());
}

TEST_F(Lifecycle, InAVersionedBucketExpiryCreatesAMarker) {
  version("Enabled");
  set({after(1)});
  hear_of_everything();
  put("k");
  advance(days(2));
  sweep();
  EXPECT_EQ(left(), (Names{"k!", "k"}));
  EXPECT_TRUE(heard("LifecycleExpiration:DeleteMarkerCreated"));
  advance(days(9));
  sweep();
  EXPECT_EQ(left(), (Names{"k!", "k"}));  // a marker that hides a version stays
}

TEST_F(Lifecycle, ExpiryPublishesAnEvent) {
  set({after(1)});
  hear_of_everything();
  put("k");
  advance(days(2));
  sweep();
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_TRUE(heard("LifecycleExpiration:Delete"));
  EXPECT_NE(sent_[0].second.find("\"eventVersion\":\"2.3\""), std::string::npos);
}

TEST_F(Lifecycle, NoncurrentVersionsExpireByTheTimeOfTheirReplacement) {
  version("Enabled");
  auto older = rule(std::nullopt);
  older.NoncurrentVersionExpiration = shape::NoncurrentVersionExpiration{.NoncurrentDays = 2};
  set({older});
  put("k");
  advance(days(5));
  put("k");  // makes the first version noncurrent
  advance(days(1));
  sweep();
  EXPECT_EQ(left(), (Names{"k", "k"}));
  advance(days(2));
  sweep();
  EXPECT_EQ(left(), Names{"k"});
}

TEST_F(Lifecycle, ALockedVersionDoesNotExpire) {
  version("Enabled");
  run(&put_object_lock_configuration,
      {.Bucket = "bucket", .ObjectLockConfiguration = shape::ObjectLockConfiguration{.ObjectLockEnabled = "Enabled"}});
  auto older = rule(std::nullopt);
  older.NoncurrentVersionExpiration = shape::NoncurrentVersionExpiration{.NoncurrentDays = 1};
  set({older});
  put("k");
  const shape::ObjectLockRetention retention{.Mode = "GOVERNANCE", .RetainUntilDate = now_ + days(6)};
  run(&put_object_retention, {.Bucket = "bucket", .Key = "k", .Retention = retention});
  put("k");
  advance(days(4));
  sweep();
  EXPECT_EQ(left(), (Names{"k", "k"}));
  advance(days(3));
  sweep();
  EXPECT_EQ(left(), Names{"k"});
}

TEST_F(Lifecycle, TheNewestNoncurrentVersionsAreKept) {
  version("Enabled");
  auto older = rule(std::nullopt);
  older.NoncurrentVersionExpiration =
      shape::NoncurrentVersionExpiration{.NoncurrentDays = 1, .NewerNoncurrentVersions = 2};
  set({older});
  for (int i = 0; i < 5; ++i) put("k");
  put("l");
  advance(days(4));
  sweep();
  EXPECT_EQ(left(), (Names{"k", "k", "k", "l"}));
}

TEST_F(Lifecycle, AMarkerThatHidesNothingExpires) {
  version("Enabled");
  auto all = rule(shape::LifecycleExpiration{.ExpiredObjectDeleteMarker = true});
  all.NoncurrentVersionExpiration = shape::NoncurrentVersionExpiration{.NoncurrentDays = 1};
  set({all});
  put("k");
  remove("k");
  sweep();
  EXPECT_EQ(left(), (Names{"k!", "k"}));
  advance(days(3));
  sweep();
  EXPECT_EQ(left(), Names());
}

TEST_F(Lifecycle, UnfinishedUploadsAreAborted) {
  auto abort = rule(std::nullopt, shape::LifecycleRuleFilter{.Prefix = "a/"});
  abort.AbortIncompleteMultipartUpload = shape::AbortIncompleteMultipartUpload{.DaysAfterInitiation = 1};
  set({abort});
  const std::int64_t id = bucket().id;
  with_call([&](Call& call) {
    int upload = 0;
    for (const char* key : {"a/1", "a/1", "a/2", "b/1"}) {
      call.tx.exec("INSERT INTO s3_uploads (id, bucket, key, tag, initiated_at, account, headers, tags)"
                   " VALUES ($1, $2, $3, 1, $4, '', '{}', '')", ++upload, id, base::Blob{key}, call.now);
      add_usage(call.tx, caller_.account, {.objects = 1});
    }
  });
  auto count = [&] {
    return with_call([](Call& call) { return call.tx.query("SELECT count(*) FROM s3_uploads").integer(); });
  };
  sweep();
  EXPECT_EQ(count(), 4);
  auto due = with_call([&](Call& call) { return upload_abort(call, *load_bucket(call.tx, "bucket"), "a/1", now_); });
  EXPECT_EQ(wire::to_rfc822(due->at), "Sun, 17 Jan 2027 00:00:00 GMT");
  advance(days(2));
  sweep();
  EXPECT_EQ(count(), 1);
}

TEST_F(Lifecycle, ManyObjectsExpireSliceBySlice) {
  set({after(1, "x/"), [] {
         auto second = after(1, "y/");
         second.ID = "s";
         return second;
       }()});
  with_call([&](Call& call) {
    const Bucket bucket = *load_bucket(call.tx, "bucket");
    for (int i = 0; i < 2500; ++i) {
      Object object;
      object.key = (i % 2 ? "x/" : "z/") + std::to_string(i);
      object.modified_at = now_;
      put_version(call, bucket, std::nullopt, object);
    }
  });
  advance(days(3));
  take_turn();
  EXPECT_EQ(left().size(), 2400u);  // one slice
  sweep();
  EXPECT_EQ(left().size(), 1250u);
}

TEST_F(Lifecycle, AFailedTurnIsRepeated) {
  set({after(1)});
  put("k");
  advance(days(3));
  const Decision decision = look();
  EXPECT_THROW(with_call([&](Call& call) {
    decision.apply(call);
    throw std::runtime_error("no");
  }), std::runtime_error);
  EXPECT_EQ(left(), Names{"k"});
  sweep();
  EXPECT_EQ(left(), Names());
}

TEST_F(Lifecycle, ADecisionSkipsWhatChangedSinceItsSnapshot) {
  version("Enabled");
  auto older = rule(std::nullopt);
  older.NoncurrentVersionExpiration =
      shape::NoncurrentVersionExpiration{.NoncurrentDays = 1, .NewerNoncurrentVersions = 1};
  set({older});
  put("k");
  put("k");
  const std::string newest_noncurrent = put("k").version();
  put("k");
  advance(days(4));
  Decision decision;
  while (!decision.apply) decision = look();
  const Bucket own = bucket();
  with_call([&](Call& call) { delete_version(call, own, *load_version(call.tx, own, "k", newest_noncurrent)); });
  with_call(decision.apply);
  EXPECT_EQ(left(), (Names{"k", "k"}));  // the newest noncurrent version of those that are left stays
}

TEST_F(Lifecycle, ADecisionSkipsAnObjectThatWasWrittenSinceItsSnapshot) {
  set({after(1)});
  put("a");
  put("b");
  advance(days(3));
  const Decision decision = look();
  put("a");
  with_call(decision.apply);
  EXPECT_EQ(left(), Names{"a"});
}

TEST_F(Lifecycle, ADecisionSkipsAllWhereTheLifecycleChangedSinceItsSnapshot) {
  set({after(1)});
  put("k");
  advance(days(3));
  const Decision decision = look();
  set({after(100)});
  with_call(decision.apply);
  EXPECT_EQ(left(), Names{"k"});
  sweep();
  EXPECT_EQ(left(), Names{"k"});
}

TEST_F(Lifecycle, AnObjectsExpirationIsAHeader) {
  put("k");
  auto header = [&](const std::string& key) {
    return with_call([&](Call& call) {
      const Bucket bucket = *load_bucket(call.tx, "bucket");
      return expiration_header(call, bucket, *load_latest(call.tx, bucket, key));
    });
  };
  EXPECT_FALSE(header("k"));
  auto named = after(1);
  named.ID = "my rule";
  auto shorter = rule(shape::LifecycleExpiration{.Date = *wire::from_iso8601("2099-01-01T00:00:00Z")});
  set({shorter, named});
  EXPECT_EQ(header("k"), R"(expiry-date="Sun, 17 Jan 2027 00:00:00 GMT", rule-id="my%20rule")");
}

TEST_F(Lifecycle, ARequestForAVersionGetsNoExpirationHeader) {
  version("Enabled");
  const std::string id = put("k").version();
  set({after(1)});
  EXPECT_TRUE(run(&head_object, {.Bucket = "bucket", .Key = "k"}).Expiration);
  EXPECT_FALSE(run(&head_object, {.Bucket = "bucket", .Key = "k", .VersionId = id}).Expiration);
}

TEST_F(Lifecycle, AConfigurationIsReadAndDeleted) {
  EXPECT_EQ(error_of(&get_bucket_lifecycle_configuration, {.Bucket = "bucket"}), "NoSuchLifecycleConfiguration");
  auto unnamed = after(1);
  unnamed.ID.reset();
  set({unnamed});
  auto read = run(&get_bucket_lifecycle_configuration, {.Bucket = "bucket"});
  EXPECT_EQ(read.Rules->at(0).Expiration->Days, 1);
  EXPECT_EQ(read.Rules->at(0).ID->size(), 48u);
  EXPECT_EQ(read.TransitionDefaultMinimumObjectSize, "all_storage_classes_128K");
  run(&delete_bucket_lifecycle, {.Bucket = "bucket"});
  EXPECT_EQ(error_of(&get_bucket_lifecycle_configuration, {.Bucket = "bucket"}), "NoSuchLifecycleConfiguration");
}

TEST_F(Lifecycle, RulesHaveAmazonsLimits) {
  auto is = [&](const std::string& code, const std::string& text, shape::LifecycleRule one) {
    EXPECT_EQ(set({std::move(one)}), code) << text;
    if (!text.empty()) {
      EXPECT_EQ(message(), text);
    }
  };
  using Filter = shape::LifecycleRuleFilter;
  is("MalformedXML", "", rule(shape::LifecycleExpiration{.Days = 1}, std::nullopt));
  is("MalformedXML", "", rule(shape::LifecycleExpiration{}));
  is("MalformedXML", "", rule(shape::LifecycleExpiration{.Days = 1, .ExpiredObjectDeleteMarker = true}));
  is("MalformedXML", "", rule(shape::LifecycleExpiration{.Days = 1}, Filter{.Prefix = "a", .ObjectSizeLessThan = 5}));
  is("InvalidRequest", "At least one action needs to be specified in a rule", rule(std::nullopt));
  is("InvalidArgument", "'Days' for Expiration action must be a positive integer", after(0));
  is("InvalidArgument", "'Date' must be at midnight GMT", rule(shape::LifecycleExpiration{.Date = now_}));
  EXPECT_EQ(detail("ArgumentName"), "Date");
  EXPECT_EQ(detail("ArgumentValue"), "2027-01-15T08:00:00Z");
  is("InvalidRequest", "'ObjectSizeLessThan' should be between 1 and 1099511627776000.",
     rule(shape::LifecycleExpiration{.Days = 1}, Filter{.ObjectSizeLessThan = 0}));
  is("InvalidRequest", "ExpiredObjectDeleteMarker cannot be specified with Tags.",
     rule(shape::LifecycleExpiration{.ExpiredObjectDeleteMarker = true}, Filter{.Tag = shape::Tag{"a", "b"}}));
  auto abort = rule(std::nullopt, Filter{.Tag = shape::Tag{"a", "b"}});
  abort.AbortIncompleteMultipartUpload = shape::AbortIncompleteMultipartUpload{1};
  is("InvalidRequest", "AbortIncompleteMultipartUpload cannot be specified with Tags.", abort);
  auto older = rule(std::nullopt);
  older.NoncurrentVersionExpiration = shape::NoncurrentVersionExpiration{.NewerNoncurrentVersions = 1};
  is("MalformedXML", "", older);
  auto moved = after(1);
  moved.Transitions = {{{.Days = 30, .StorageClass = "GLACIER"}}};
  is("NotImplemented", "", moved);
  EXPECT_NE(message().find("transition"), std::string::npos);
  auto both = after(1);
  both.Prefix = "a";
  is("InvalidRequest", "Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.", both);
  EXPECT_EQ(set({after(1), after(2)}), "InvalidArgument");
  EXPECT_EQ(message(), "Rule ID must be unique. Found same ID for more than one rule");
  EXPECT_EQ(set({}), "InvalidRequest");
}

TEST_F(Lifecycle, OldRulesWithPrefixesMustNotOverlap) {
  auto old = [](const std::string& id, const std::string& prefix) {
    shape::LifecycleRule out{.Expiration = shape::LifecycleExpiration{.Days = 1}, .ID = id, .Prefix = prefix, .Status = "Enabled"};
    return out;
  };
  EXPECT_EQ(set({old("1", "b"), old("2", "a")}), "");
  EXPECT_EQ(set({old("1", "ab"), old("2", "a")}), "InvalidRequest");
  EXPECT_EQ(message(), "Found overlapping prefixes 'a' and 'ab' for same action type 'Expiration'");
}

}  // namespace
}  // namespace services::s3
