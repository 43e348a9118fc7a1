// SPDX-License-Identifier: Apache-2.0
// Our responses, byte for byte, in golden/answers. botocore 1.43 could read them when they
// were recorded. Run with STOKER_GOLDEN_WRITE=1 to record them again, and review the diff.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "golden.h"
#include "shapes/cloudwatch/errors.h"
#include "shapes/ecs/errors.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/s3/errors.h"
#include "shapes/s3/object.h"
#include "shapes/s3/object_list.h"
#include "shapes/sqs/errors.h"
#include "shapes/sqs/message.h"
#include "shapes/sts/session.h"
#include "wire/timestamp.h"

namespace {

using wire::Protocol;

constexpr std::string_view kRequestId = "219f8380-5770-4cc2-8c3e-5c715e145f5e";

constexpr wire::Service kSqs{.name = "sqs",
                             .json_namespace = "com.amazonaws.sqs",
                             .target_prefix = "AmazonSQS",
                             .api_version = "2012-11-05",
                             .xml_namespace = "http://queue.amazonaws.com/doc/2012-11-05/",
                             .query_compatible = true,
                             .errors = shapes::sqs::kErrors};
constexpr wire::Service kSts{.name = "sts", .xml_namespace = "https://sts.amazonaws.com/doc/2011-06-15/"};
constexpr wire::Service kEcs{.name = "ecs", .errors = shapes::ecs::kErrors};
constexpr wire::Service kS3{
    .name = "s3", .xml_namespace = "http://s3.amazonaws.com/doc/2006-03-01/", .errors = shapes::s3::kErrors};
constexpr wire::Service kCloudWatch{.name = "cloudwatch",
                                    .json_namespace = "com.amazonaws.cloudwatch",
                                    .xml_namespace = "http://monitoring.amazonaws.com/doc/2010-08-01/",
                                    .query_compatible = true,
                                    .errors = shapes::cloudwatch::kErrors};

void check(const std::string& name, const wire::HttpResponse& response) {
  std::string bytes = "HTTP/1.1 " + std::to_string(response.status) + "\r\n";
  for (const auto& [header, value] : response.headers) bytes += header + ": " + value + "\r\n";
  bytes += "\r\n" + response.body;
  std::string file = "answers/" + name + ".http";
  if (std::getenv("STOKER_GOLDEN_WRITE")) {
    std::ofstream(std::string(STOKER_SOURCE_DIR) + "/tests/wire/golden/" + file, std::ios::binary) << bytes;
  }
  EXPECT_EQ(bytes, golden::load_file(file)) << name;
}

template <class Output>
void check(const std::string& name, Protocol protocol, const wire::Service& service, std::string_view operation,
           const Output& output, wire::HttpBinding http = {}) {
  wire::Operation table{operation, nullptr, &wire::type_of<Output>(), http};
  check(name, wire::encode_response(protocol, service, table, &output, kRequestId));
}

TEST(GoldenAnswers, ReceiveMessage) {
  shapes::sqs::Message message{
      .MessageId = "5fea7756-0ea4-451a-a703-a558b933e274",
      .ReceiptHandle = "MbZj6wDWli+JvwwJaBV+3dcjk2YW2vA3",
      .MD5OfBody = "fafb00f5732ab283681e124bf8747ed1",
      .Body = "<a&b>\r\n\"naïve\" ☕\x01",
      .Attributes = {{{"SentTimestamp", "1793871010123"}}},
      .MessageAttributes = {{{"raw", {.BinaryValue = base::Blob{"\xFF"}, .DataType = "Binary"}}}}};
  shapes::sqs::ReceiveMessageResult result{.Messages = {{message}}};
  check("sqs_receive_message_json", Protocol::Json10, kSqs, "ReceiveMessage", result);
  result.Messages->front().Body = "<a&b>\r\n\"naïve\" ☕";  // without characters that XML does not allow: no parser accepts those
  check("sqs_receive_message_query", Protocol::Query, kSqs, "ReceiveMessage", result);
  check("sqs_receive_message_none_json", Protocol::Json10, kSqs, "ReceiveMessage", shapes::sqs::ReceiveMessageResult{});
}

TEST(GoldenAnswers, ErrorsOfEachProtocol) {
  wire::ApiError missing("QueueDoesNotExist", "The specified queue does not exist.");
  check("sqs_error_json", wire::encode_error(Protocol::Json10, kSqs, missing, kRequestId));
  check("sqs_error_query", wire::encode_error(Protocol::Query, kSqs, missing, kRequestId));
  wire::ApiError cluster("ClusterNotFoundException", "Cluster not found.");
  check("ecs_error_json", wire::encode_error(Protocol::Json11, kEcs, cluster, kRequestId));
  wire::ApiError bucket("NoSuchBucket", "The specified bucket does not exist");
  bucket.with("BucketName", "photos");
  check("s3_error", wire::encode_error(Protocol::RestXml, kS3, bucket, kRequestId));
  wire::ApiError instance("InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist");
  check("ec2_error", wire::encode_error(Protocol::Ec2, {}, instance, kRequestId));
  wire::ApiError alarm("ResourceNotFound", "No such alarm");
  check("cloudwatch_error_cbor", wire::encode_error(Protocol::Cbor, kCloudWatch, alarm, kRequestId));
}

TEST(GoldenAnswers, GetSessionToken) {
  shapes::sts::GetSessionTokenResponse response{
      .Credentials = {
          {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG", "token+/=", *wire::from_iso8601("2026-11-05T09:30:10Z")}}};
  check("sts_get_session_token_query", Protocol::Query, kSts, "GetSessionToken", response);
}

TEST(GoldenAnswers, ListObjectsV2) {
  shapes::s3::Object object{.Key = "scans/a&b.txt",
                            .LastModified = wire::from_iso8601("2026-11-05T09:30:10Z"),
                            .ETag = "\"e4d7f1b4ed2e42d15898f4b27b019da4\"",
                            .ChecksumAlgorithm = {{"CRC64NVME"}},
                            .Size = 12,
                            .StorageClass = "STANDARD"};
  shapes::s3::ListObjectsV2Output output{.IsTruncated = false,
                                         .Contents = {{object}},
                                         .Name = "photos",
                                         .Prefix = "",
                                         .MaxKeys = 1000,
                                         .CommonPrefixes = {{{.Prefix = "scans/old/"}}},
                                         .KeyCount = 2};
  check("s3_list_objects_v2", Protocol::RestXml, kS3, "ListObjectsV2", output, shapes::s3::kListObjectsV2Http);
}

TEST(GoldenAnswers, PutObject) {
  shapes::s3::PutObjectOutput output{.ETag = "\"e4d7f1b4ed2e42d15898f4b27b019da4\"", .ServerSideEncryption = "AES256"};
  check("s3_put_object", Protocol::RestXml, kS3, "PutObject", output, shapes::s3::kPutObjectHttp);
}

TEST(GoldenAnswers, RegisterTaskDefinition) {
  shapes::ecs::TaskDefinition definition{
      .taskDefinitionArn = "arn:aws:ecs:us-east-1:000000000000:task-definition/ocr:1",
      .family = "ocr",
      .revision = 1,
      .status = "ACTIVE",
      .registeredAt = wire::from_iso8601("2026-11-05T09:30:10.250Z")};
  definition.containerDefinitions = {{{.name = "worker", .memory = 512}}};
  shapes::ecs::RegisterTaskDefinitionResponse response{.taskDefinition = definition};
  check("ecs_register_task_definition_json", Protocol::Json11, kEcs, "RegisterTaskDefinition", response);
}

TEST(GoldenAnswers, OperationsWithoutOutputRespondLikeAmazon) {
  wire::Operation operation{"PutMetricData"};
  for (auto [name, protocol] :
       {std::pair{"json", Protocol::Json10}, {"query", Protocol::Query}, {"cbor", Protocol::Cbor}}) {
    check(std::string("cloudwatch_put_metric_data_") + name,
          wire::encode_response(protocol, kCloudWatch, operation, nullptr, kRequestId));
  }
}

}  // namespace
