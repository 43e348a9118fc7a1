// SPDX-License-Identifier: Apache-2.0
// Requests of real clients, decoded to the structs that their callers filled in.
#include <gmock/gmock.h>

#include "golden.h"
#include "shapes/cloudwatch/metric_data.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/s3/object.h"
#include "shapes/s3/object_list.h"
#include "shapes/sqs/message.h"
#include "wire/timestamp.h"

namespace {

constexpr const char* kClients[] = {"botocore-1.29", "botocore-1.43", "js-v3"};

template <class Input>
Input decode(const std::string& client, const std::string& name, wire::HttpBinding http = {}) {
  golden::Request request = golden::load(client, name);
  Input input;
  wire::Operation operation{"Golden", &wire::type_of<Input>(), nullptr, http};
  auto missing = wire::decode_request(golden::protocol_of(request), {}, operation, request.view(), &input);
  EXPECT_THAT(missing, testing::IsEmpty());
  return input;
}

TEST(GoldenRequests, OlderBotocoreCallsSqsWithQueryAndOthersWithJson) {
  EXPECT_EQ(golden::protocol_of(golden::load("botocore-1.29", "sqs_send_message")), wire::Protocol::Query);
  EXPECT_EQ(golden::protocol_of(golden::load("botocore-1.43", "sqs_send_message")), wire::Protocol::Json10);
  EXPECT_EQ(golden::protocol_of(golden::load("js-v3", "sqs_send_message")), wire::Protocol::Json10);
  EXPECT_EQ(golden::protocol_of(golden::load("js-v3", "cloudwatch_put_metric_data_cbor")), wire::Protocol::Cbor);
  EXPECT_EQ(golden::protocol_of(golden::load("js-v3", "ecs_register_task_definition")), wire::Protocol::Json11);
}

TEST(GoldenRequests, SendMessageIsTheSameFromEveryClient) {
  for (const char* client : kClients) {
    SCOPED_TRACE(client);
    auto input = decode<shapes::sqs::SendMessageRequest>(client, "sqs_send_message");
    EXPECT_THAT(input.QueueUrl, testing::EndsWith("/000000000000/jobs"));
    EXPECT_EQ(input.MessageBody, "{\"file\": \"a&b=c.png\", \"note\": \"naïve ☕\"}");
    EXPECT_EQ(input.DelaySeconds, 5);
    ASSERT_TRUE(input.MessageAttributes);
    ASSERT_EQ(input.MessageAttributes->size(), 2u);
    EXPECT_EQ(input.MessageAttributes->at("kind"),
              (shapes::sqs::MessageAttributeValue{.StringValue = "ocr", .DataType = "String"}));
    EXPECT_EQ(input.MessageAttributes->at("raw"),
              (shapes::sqs::MessageAttributeValue{.BinaryValue = base::Blob{std::string("\0\xFF", 2)},
                                                  .DataType = "Binary"}));
    EXPECT_FALSE(input.MessageGroupId);
  }
}

TEST(GoldenRequests, ReceiveMessageIsTheSameFromEveryClient) {
  for (const char* client : kClients) {
    SCOPED_TRACE(client);
    auto input = decode<shapes::sqs::ReceiveMessageRequest>(client, "sqs_receive_message");
    shapes::sqs::ReceiveMessageRequest expected{.QueueUrl = input.QueueUrl,
                                                .AttributeNames = {{"SentTimestamp", "ApproximateReceiveCount"}},
                                                .MessageAttributeNames = {{"All"}},
                                                .MaxNumberOfMessages = 10,
                                                .WaitTimeSeconds = 20};
    EXPECT_EQ(input, expected);
  }
}

// The model allows a queue's attributes there, yet every client sends a message's, and
// Amazon accepts them: a service must not reject this member for its enumeration.
TEST(GoldenRequests, TheAttributeNamesOfReceiveMessageAreNotThoseOfTheModel) {
  auto input = decode<shapes::sqs::ReceiveMessageRequest>("js-v3", "sqs_receive_message");
  auto violations = wire::validate(wire::type_of<shapes::sqs::ReceiveMessageRequest>(), &input);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].path, "attributeNames.1.member");
  EXPECT_EQ(violations[0].kind, wire::Violation::NotInEnum);
}

TEST(GoldenRequests, DecodesPathHeadersAndBodyOfPutObject) {
  for (const char* client : kClients) {
    SCOPED_TRACE(client);
    auto input = decode<shapes::s3::PutObjectRequest>(client, "s3_put_object", shapes::s3::kPutObjectHttp);
    EXPECT_EQ(input.Bucket, "photos");
    EXPECT_EQ(input.Key, "scans/a b+ü.txt");
    EXPECT_EQ(input.Body, base::Blob{"hello, world"});
    EXPECT_EQ(input.ContentType, "text/plain");
    EXPECT_EQ(input.ContentLength, 12);
    EXPECT_EQ(input.Metadata, (std::map<std::string, std::string>{{"source", "scanner-7"}}));
    if (client != std::string("botocore-1.29")) {
      EXPECT_EQ(input.ChecksumCRC32, "/6tyOg==");
    }
  }
}

TEST(GoldenRequests, DecodesTheQueryOfListObjectsV2) {
  for (const char* client : kClients) {
    SCOPED_TRACE(client);
    auto input = decode<shapes::s3::ListObjectsV2Request>(client, "s3_list_objects_v2", shapes::s3::kListObjectsV2Http);
    EXPECT_EQ(input.Bucket, "photos");
    EXPECT_EQ(input.Prefix, "scans/a b+ü");
    EXPECT_EQ(input.Delimiter, "/");
    EXPECT_EQ(input.MaxKeys, 7);
    EXPECT_EQ(input.StartAfter, "x&y");
    EXPECT_FALSE(input.ContinuationToken);
  }
}

TEST(GoldenRequests, PutMetricDataIsTheSameInQueryJsonAndCbor) {
  const std::pair<const char*, const char*> kSent[] = {{"botocore-1.29", "cloudwatch_put_metric_data"},
                                                       {"botocore-1.43", "cloudwatch_put_metric_data"},
                                                       {"botocore-1.43", "cloudwatch_put_metric_data_cbor"},
                                                       {"js-v3", "cloudwatch_put_metric_data"},
                                                       {"js-v3", "cloudwatch_put_metric_data_cbor"}};
  for (const auto& [client, name] : kSent) {
    SCOPED_TRACE(std::string(client) + " " + name);
    auto input = decode<shapes::cloudwatch::PutMetricDataInput>(client, name);
    ASSERT_TRUE(input.MetricData);
    ASSERT_EQ(input.MetricData->size(), 1u);
    auto& datum = input.MetricData->front();
    EXPECT_EQ(input.Namespace, "Stoker");
    EXPECT_EQ(datum.MetricName, "Backlog");
    EXPECT_EQ(datum.Dimensions, (std::vector<shapes::cloudwatch::Dimension>{{"Queue", "jobs"}}));
    EXPECT_EQ(datum.Value, 2.5);
    EXPECT_EQ(datum.Unit, "Count");
    EXPECT_EQ(datum.StorageResolution, 1);
    // botocore's JSON and CBOR omit the fraction of the second.
    bool whole = client == std::string("botocore-1.43");
    EXPECT_EQ(datum.Timestamp, wire::from_iso8601(whole ? "2026-11-05T09:30:10Z" : "2026-11-05T09:30:10.250Z"));
  }
}

TEST(GoldenRequests, RegisterTaskDefinitionIsTheSameFromEveryClient) {
  for (const char* client : kClients) {
    SCOPED_TRACE(client);
    auto input = decode<shapes::ecs::RegisterTaskDefinitionRequest>(client, "ecs_register_task_definition");
    shapes::ecs::ContainerDefinition container{
        .name = "worker",
        .image = "ocr:latest",
        .memory = 512,
        .portMappings = {{{.containerPort = 8080, .protocol = "tcp"}}},
        .essential = true,
        .command = {{"work", "--queue", "jobs"}},
        .environment = {{{"MODEL", "résumé"}}},
        .logConfiguration = {{.logDriver = "awslogs", .options = {{{"awslogs-group", "ocr"}}}}},
        .resourceRequirements = {{{.value = "2", .type = "GPU"}}},
    };
    EXPECT_EQ(input.family, "ocr");
    EXPECT_EQ(input.networkMode, "host");
    EXPECT_EQ(input.cpu, "256");
    EXPECT_EQ(input.requiresCompatibilities, std::vector<std::string>{"EC2"});
    EXPECT_EQ(input.containerDefinitions, std::vector{container});
    EXPECT_EQ(input.tags, (std::vector<shapes::ecs::Tag>{{"team", "vision"}}));
  }
}

}  // namespace
