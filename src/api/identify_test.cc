// SPDX-License-Identifier: Apache-2.0
#include "api/identify.h"

#include <gtest/gtest.h>

#include "api/registry.h"

namespace api {
namespace {

http::RequestHead head(base::Headers headers, std::string target = "/") {
  return {"POST", std::move(target), std::move(headers)};
}

std::vector<services::Service> two_services() {
  std::vector<services::Service> services(2);
  services[0].wire.name = "sqs";
  services[0].wire.target_prefix = "AmazonSQS";
  services[0].signing_name = "sqs";
  services[0].protocols = {wire::Protocol::Json10, wire::Protocol::Query};
  services[0].operations.push_back({{.name = "SendMessage"}});
  services[1].wire.name = "cloudwatch";
  services[1].wire.target_prefix = "GraniteServiceVersion20100801";
  services[1].signing_name = "monitoring";
  services[1].protocols = {wire::Protocol::Cbor};
  return services;
}

TEST(Identify, TheProtocolBelongsToTheRequest) {
  EXPECT_EQ(guess_protocol(head({{"Content-Type", "application/x-amz-json-1.0"}})), wire::Protocol::Json10);
  EXPECT_EQ(guess_protocol(head({{"content-type", "application/x-amz-json-1.1"}})), wire::Protocol::Json11);
  EXPECT_EQ(guess_protocol(head({{"smithy-protocol", "rpc-v2-cbor"}})), wire::Protocol::Cbor);
  EXPECT_EQ(guess_protocol(head({{"Content-Type", "application/x-www-form-urlencoded"}})), wire::Protocol::Query);
}

TEST(Identify, AServiceIsFoundByItsSigningNameOrByItsTarget) {
  const Registry registry(two_services());
  EXPECT_EQ(registry.find_signed("monitoring")->wire.name, "cloudwatch");
  EXPECT_EQ(registry.find_signed("dynamodb"), nullptr);
  EXPECT_EQ(registry.find_addressed(head({{"X-Amz-Target", "AmazonSQS.SendMessage"}}))->wire.name, "sqs");
  EXPECT_EQ(registry.find_addressed(head({}, "/service/GraniteServiceVersion20100801/operation/X"))->wire.name,
            "cloudwatch");
  EXPECT_EQ(registry.find_addressed(head({})), nullptr);
}

TEST(Identify, TheOperationIsInTheTargetThePathOrTheForm) {
  EXPECT_EQ(operation_name(wire::Protocol::Json10, head({{"X-Amz-Target", "AmazonSQS.SendMessage"}}), ""),
            "SendMessage");
  EXPECT_EQ(operation_name(wire::Protocol::Cbor, head({}, "/service/Granite/operation/PutMetricData"), ""),
            "PutMetricData");
  EXPECT_EQ(operation_name(wire::Protocol::Query, head({}), "Version=1&Action=List%51ueues"), "ListQueues");
  EXPECT_EQ(operation_name(wire::Protocol::Query, head({}, "/?Action=ListQueues"), ""), "ListQueues");
  EXPECT_EQ(operation_name(wire::Protocol::Query, head({}), "SubAction=x"), "");
}

TEST(Identify, AnOperationIsOnlyFoundInAProtocolThatItsServiceSpeaks) {
  auto services = two_services();
  EXPECT_NE(find_operation(services[0], wire::Protocol::Query, "SendMessage"), nullptr);
  EXPECT_EQ(find_operation(services[0], wire::Protocol::Cbor, "SendMessage"), nullptr);
  EXPECT_EQ(find_operation(services[0], wire::Protocol::Query, "Sendmessage"), nullptr);
}

TEST(Identify, AFormOfAServiceWithEc2sProtocolIsInItsDialect) {
  services::Service service;
  service.protocols = {wire::Protocol::Ec2};
  EXPECT_EQ(protocol_of(service, wire::Protocol::Query), wire::Protocol::Ec2);
  EXPECT_EQ(protocol_of(service, wire::Protocol::Json11), wire::Protocol::Json11);
  service.protocols = {wire::Protocol::Query};
  EXPECT_EQ(protocol_of(service, wire::Protocol::Query), wire::Protocol::Query);
}

}  // namespace
}  // namespace api
