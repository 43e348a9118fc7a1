// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>

#include "services/s3/buckets/notification_operations.h"
#include "services/s3/events.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class Notifications : public S3Test {
 protected:
  Notifications() {
    make_bucket();
    queues_ = {kQueue, kOtherQueue};
  }
  std::string set(std::vector<shape::QueueConfiguration> queues, bool skip = false) {
    sent_.clear();
    return error_of(&put_bucket_notification_configuration,
                    {.Bucket = "bucket",
                     .NotificationConfiguration = {.QueueConfigurations = std::move(queues)},
                     .SkipDestinationValidation = skip});
  }
  static shape::QueueConfiguration to(const std::string& arn, std::vector<std::string> events,
                                      std::vector<shape::FilterRule> filter = {}) {
    shape::QueueConfiguration queue{.QueueArn = arn, .Events = std::move(events)};
    if (!filter.empty()) queue.Filter = shape::NotificationConfigurationFilter{shape::S3KeyFilter{std::move(filter)}};
    return queue;
  }
  shape::NotificationConfiguration get() {
    return run(&get_bucket_notification_configuration, {.Bucket = "bucket"});
  }
  // The queues that received the event.
  std::vector<std::string> queues_of(const std::string& name, const Object& object) {
    sent_.clear();
    with_call([&](Call& call) { publish_event(call, *load_bucket(call.tx, "bucket"), name, object); });
    std::vector<std::string> arns;
    for (const auto& [arn, body] : sent_) arns.push_back(arn);
    return arns;
  }
  static Object object(const std::string& key) {
    Object object;
    object.id = 0x19AB;
    object.key = key;
    object.size = 9;
    object.etag = "437b930db84b8079c2dd804a71936b5f";
    return object;
  }
  // The object in the last event, as text.
  std::string object_json() {
    return boost::json::serialize(boost::json::parse(sent_.back().second).at("Records").at(0).at("s3").at("object"));
  }

  using Arns = std::vector<std::string>;
  const std::string kQueue = "arn:aws:sqs:us-east-1:111111111111:q", kOtherQueue = "arn:aws:sqs:us-east-1:111111111111:r";
};

TEST_F(Notifications, ConfigurationsAreStoredWithIds) {
  EXPECT_EQ(get(), shape::NotificationConfiguration());
  auto named = to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "in/"}, {"SUFFIX", ".jpg"}});
  named.Id = "mine";
  EXPECT_EQ(set({named, to(kOtherQueue, {"s3:ObjectRemoved:Delete"})}), "");
  auto queues = *get().QueueConfigurations;
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0].Id, "mine");
  EXPECT_EQ(queues[0].Filter->Key->FilterRules, (std::vector<shape::FilterRule>{{"Prefix", "in/"}, {"Suffix", ".jpg"}}));
  EXPECT_EQ(queues[1].Id->size(), 48u);
  EXPECT_EQ(set({}), "");
  EXPECT_EQ(get(), shape::NotificationConfiguration());
}

TEST_F(Notifications, ANewConfigurationSendsATestEventToEachQueue) {
  set({to(kQueue, {"s3:ObjectCreated:*"}), to(kQueue, {"s3:ObjectRemoved:*"}), to(kOtherQueue, {"s3:ObjectTagging:*"})});
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].first, kQueue);
  EXPECT_EQ(sent_[0].second, R"({"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2027-01-15T08:00:00.000Z",)"
                             R"("Bucket":"bucket","RequestId":"REQUEST1","HostId":")" + host_id("REQUEST1") + "\"}");
  EXPECT_EQ(senders_.back().service, "s3.amazonaws.com");
  EXPECT_EQ(senders_.back().source_arn, "arn:aws:s3:::bucket");
  EXPECT_EQ(senders_.back().account, "111111111111");
}

TEST_F(Notifications, TestEventsCanBeTurnedOff) {
  locals_.get<TestEvents>().enabled = false;
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"})}), "");
  EXPECT_TRUE(sent_.empty());
  queues_.clear();
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"})}), "InvalidArgument");
}

TEST_F(Notifications, QueuesMustExistAndAllowS3) {
  queues_ = {};
  denied_ = {kOtherQueue};
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"}), to(kOtherQueue, {"s3:ObjectRemoved:*"})}), "InvalidArgument");
  EXPECT_EQ(message(), "Unable to validate the following destination configurations");
  EXPECT_EQ(detail("ArgumentName1"), kQueue);
  EXPECT_EQ(detail("ArgumentValue1"), "The destination queue does not exist");
  EXPECT_EQ(detail("ArgumentName2"), kOtherQueue);
  EXPECT_EQ(detail("ArgumentValue2"),
            "Permissions on the destination queue do not allow S3 to publish notifications from this bucket");
  EXPECT_FALSE(get().QueueConfigurations);
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"})}, true), "");
  EXPECT_TRUE(sent_.empty());
  EXPECT_TRUE(get().QueueConfigurations);
}

TEST_F(Notifications, InvalidConfigurationsAreRejected) {
  auto refused = [&](shape::QueueConfiguration queue) { return set({std::move(queue)}); };
  EXPECT_EQ(refused(to("q", {"s3:ObjectCreated:*"})), "InvalidArgument");
  EXPECT_EQ(message(), "The ARN could not be parsed");
  EXPECT_EQ(detail("ArgumentName"), "Queue");
  EXPECT_EQ(refused(to("arn:aws:sns:us-east-1:111111111111:q", {"s3:ObjectCreated:*"})), "InvalidArgument");
  EXPECT_EQ(refused(to("arn:aws:sqs:us-east-1:111111111111:q.fifo", {"s3:ObjectCreated:*"})), "InvalidArgument");
  EXPECT_EQ(message(), "FIFO SQS queues are not supported.");
  EXPECT_EQ(refused(to("arn:aws:sqs:eu-west-1:111111111111:q", {"s3:ObjectCreated:*"})), "InvalidArgument");
  EXPECT_EQ(message(), "The notification destination service region is not valid for the bucket location constraint");
  EXPECT_EQ(refused(to(kQueue, {})), "MalformedXML");
  EXPECT_EQ(refused(to(kQueue, {"s3:ObjectEaten"})), "InvalidArgument");
  EXPECT_EQ(refused(to(kQueue, {"s3:ObjectRestore:Post"})), "NotImplemented");
  EXPECT_NE(message().find("s3:ObjectRestore:Post"), std::string::npos);
  EXPECT_EQ(refused(to(kQueue, {"s3:ObjectCreated:*"}, {{"infix", "a"}})), "InvalidArgument");
  EXPECT_EQ(message(), "filter rule name must be either prefix or suffix");
  EXPECT_EQ(refused(to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "a"}, {"Prefix", "b"}})), "InvalidArgument");
  EXPECT_EQ(message(), "Cannot specify more than one prefix rule in a filter.");
  EXPECT_EQ(refused(to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", std::string(1025, 'a')}})), "InvalidArgument");
  auto named = to(kQueue, {"s3:ObjectCreated:*"}), twin = to(kQueue, {"s3:ObjectRemoved:*"});
  named.Id = twin.Id = "same";
  EXPECT_EQ(set({named, twin}), "InvalidArgument");
  EXPECT_EQ(message(), "Same ID used for multiple configurations. IDs must be unique.");
  named.Id = std::string(256, 'a');
  EXPECT_EQ(set({named}), "InvalidArgument");
}

TEST_F(Notifications, UnsupportedDestinationsAreRejectedByName) {
  auto refused = [&](shape::NotificationConfiguration configuration) {
    return error_of(&put_bucket_notification_configuration,
                    {.Bucket = "bucket", .NotificationConfiguration = std::move(configuration)});
  };
  EXPECT_EQ(refused({.TopicConfigurations = {{{.TopicArn = "t", .Events = {"s3:ObjectCreated:*"}}}}}), "NotImplemented");
  EXPECT_NE(message().find("SNS"), std::string::npos);
  EXPECT_EQ(refused({.LambdaFunctionConfigurations = {{{.LambdaFunctionArn = "l", .Events = {"s3:ObjectCreated:*"}}}}}),
            "NotImplemented");
}

TEST_F(Notifications, ConfigurationsMustNotOverlap) {
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"}), to(kOtherQueue, {"s3:ObjectCreated:Put"})}), "InvalidArgument");
  EXPECT_EQ(message(), "Configurations overlap. Configurations on the same bucket cannot share a common event type.");
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*", "s3:ObjectCreated:Put"})}), "InvalidArgument");
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "a"}}), to(kOtherQueue, {"s3:ObjectCreated:*"}, {{"prefix", "ab"}})}),
            "InvalidArgument");
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "a"}, {"suffix", ".x"}}),
                 to(kOtherQueue, {"s3:ObjectCreated:*"}, {{"prefix", "ab"}, {"suffix", ".y"}})}),
            "");
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "a/"}}), to(kOtherQueue, {"s3:ObjectCreated:*"}, {{"prefix", "b/"}})}),
            "");
  EXPECT_EQ(set({to(kQueue, {"s3:ObjectCreated:Put"}), to(kOtherQueue, {"s3:ObjectCreated:Copy"})}), "");
}

TEST_F(Notifications, AnEventHasAmazonsFormat) {
  auto named = to(kQueue, {"s3:ObjectCreated:*"});
  named.Id = "my \"id\"";
  set({named});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("in/a b+c@\xc3\xa9.jpg")), Arns{kQueue});
  EXPECT_EQ(sent_[0].second,
            R"({"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-east-1",)"
            R"("eventTime":"2027-01-15T08:00:00.000Z","eventName":"ObjectCreated:Put",)"
            R"("userIdentity":{"principalId":"AWS:111111111111"},"requestParameters":{"sourceIPAddress":"10.0.0.9"},)"
            R"("responseElements":{"x-amz-request-id":"REQUEST1","x-amz-id-2":")" + host_id("REQUEST1") + R"("},)"
            R"("s3":{"s3SchemaVersion":"1.0","configurationId":"my \"id\"","bucket":{"name":"bucket",)"
            R"("ownerIdentity":{"principalId":"AGP0CK5K4S44X3"},"arn":"arn:aws:s3:::bucket"},)"
            R"("object":{"key":"in/a+b%2Bc%40%C3%A9.jpg","size":9,"eTag":"437b930db84b8079c2dd804a71936b5f",)"
            R"("sequencer":"00000000000019AB00"}}}]})");
}

TEST_F(Notifications, AnEventHasTheMembersOfItsKind) {
  version("Enabled");
  set({to(kQueue, {"s3:ObjectCreated:*", "s3:ObjectRemoved:*", "s3:ObjectTagging:*", "s3:LifecycleExpiration:*"})});
  Object one = object("k");
  one.tag = 5;
  const std::string version = "\"versionId\":\"" + one.version() + "\"";
  queues_of("ObjectTagging:Put", one);
  EXPECT_EQ(object_json(), R"({"key":"k","eTag":"437b930db84b8079c2dd804a71936b5f",)" + version + "}");
  EXPECT_NE(sent_.back().second.find("\"eventVersion\":\"2.3\""), std::string::npos);
  one.marker = true;
  queues_of("ObjectRemoved:DeleteMarkerCreated", one);
  EXPECT_EQ(object_json(), R"({"key":"k","eTag":"d41d8cd98f00b204e9800998ecf8427e",)" + version +
                               R"(,"sequencer":"00000000000019AB00"})");
  queues_of("ObjectRemoved:Delete", one);
  EXPECT_EQ(object_json().find("eTag"), std::string::npos);
  EXPECT_EQ(object_json().find("size"), std::string::npos);
  queues_of("LifecycleExpiration:Delete", one);
  EXPECT_NE(sent_.back().second.find(R"("userIdentity":{"principalId":"s3.amazonaws.com"})"), std::string::npos);
  EXPECT_NE(sent_.back().second.find(R"("sourceIPAddress":"s3.amazonaws.com")"), std::string::npos);
}

TEST_F(Notifications, ADeletionsSequencerLiesBetweenTheVersions) {
  set({to(kQueue, {"s3:ObjectCreated:*", "s3:ObjectRemoved:*"})});
  auto sequencer = [&] {
    auto json = boost::json::parse(sent_.back().second);
    return std::string(json.at("Records").at(0).at("s3").at("object").at("sequencer").as_string());
  };
  const Object first = put("k");
  queues_of("ObjectCreated:Put", first);
  const std::string written = sequencer();
  queues_of("ObjectRemoved:Delete", *remove("k").removed);
  const std::string deleted = sequencer();
  advance(base::Duration(1));
  queues_of("ObjectCreated:Put", put("k"));
  EXPECT_LT(written, deleted);
  EXPECT_LT(deleted, sequencer());
}

TEST_F(Notifications, EventsGoToTheQueuesWhoseFiltersMatch) {
  set({to(kQueue, {"s3:ObjectCreated:Put", "s3:ObjectRemoved:*"}, {{"prefix", "a+b/"}, {"suffix", "%C3%A9"}}),
       to(kOtherQueue, {"s3:ObjectCreated:Copy"})});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("a b/\xc3\xa9")), Arns{kQueue});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("a+b/\xc3\xa9")), Arns());
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("a b/e")), Arns());
  EXPECT_EQ(queues_of("ObjectCreated:Copy", object("a b/\xc3\xa9")), Arns{kOtherQueue});
  EXPECT_EQ(queues_of("ObjectCreated:CompleteMultipartUpload", object("a b/\xc3\xa9")), Arns());
  EXPECT_EQ(queues_of("ObjectRemoved:DeleteMarkerCreated", object("a b/\xc3\xa9")), Arns{kQueue});
}

TEST_F(Notifications, AMissingQueueDoesNotFailTheWrite) {
  set({to(kQueue, {"s3:ObjectCreated:*"}, {{"prefix", "a"}}), to(kOtherQueue, {"s3:ObjectCreated:*"}, {{"prefix", "b"}})});
  queues_.erase(kQueue);
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("a")), Arns());
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("b")), Arns{kOtherQueue});
}

TEST_F(Notifications, AChangedConfigurationAppliesAtOnce) {
  set({to(kQueue, {"s3:ObjectCreated:*"})});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("k")), Arns{kQueue});
  set({to(kOtherQueue, {"s3:ObjectCreated:*"})});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("k")), Arns{kOtherQueue});
  set({});
  EXPECT_EQ(queues_of("ObjectCreated:Put", object("k")), Arns());
}

}  // namespace
}  // namespace services::s3
