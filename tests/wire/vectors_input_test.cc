// SPDX-License-Identifier: Apache-2.0
// The requests of the public protocol vectors: a client's request for given parameters
// must be decoded to these parameters.
#include <gmock/gmock.h>

#include <boost/describe/class.hpp>

#include "vectors.h"

namespace {

using vectors::Case;

// Cases that do not apply to a server, or that another layer handles.
constexpr const char* kCompressed = "the body is gzipped, which http undoes, and is not in the vector";
constexpr const char* kToken = "the client makes up a token that is not in the parameters";
constexpr const char* kNoTrace = "an empty list or map leaves no trace in the request";
const std::map<std::string, std::string> kSkipped = {
    {"SDKAppliedContentEncoding_awsJson1_0", kCompressed},
    {"SDKAppliedContentEncoding_awsJson1_1", kCompressed},
    {"SDKAppliedContentEncoding_awsQuery", kCompressed},
    {"SDKAppliedContentEncoding_ec2Query", kCompressed},
    {"SDKAppliedContentEncoding_restXml", kCompressed},
    {"SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsJson1_0", kCompressed},
    {"SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsJson1_1", kCompressed},
    {"SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsQuery", kCompressed},
    {"SDKAppendsGzipAndIgnoresHttpProvidedEncoding_ec2Query", kCompressed},
    {"SDKAppendedGzipAfterProvidedEncoding_restXml", kCompressed},
    {"Ec2ProtocolIdempotencyTokenAutoFill", kToken},
    {"QueryIdempotencyTokenAutoFill", kToken},
    {"QueryProtocolIdempotencyTokenAutoFill", kToken},
    {"Ec2EmptyQueryLists", kNoTrace},
    {"QueryEmptyQueryMaps", kNoTrace},
    {"HttpPrefixHeadersAreNotPresent", kNoTrace},
    {"PutAndGetInlineDocumentsInput", "free-form documents are in no shape of ours"},
    {"RestXmlQueryPrecedence", "a client's rule: one of two parameters of a name is not sent"},
};

struct Nothing {};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

dynamic::Value decode(const Case& test, const wire::TypeInfo& type) {
  const auto& serialized = test.json.at("serialized").as_object();
  std::string uri = vectors::text(serialized, "uri", "/");
  std::size_t question = std::min(uri.find('?'), uri.size());
  base::Headers headers;
  if (const auto* lines = serialized.if_contains("headers")) {
    for (const auto& [name, value] : lines->as_object()) headers.add(std::string(name), value.as_string().c_str());
  }
  std::string body = vectors::body_of(test.protocol, serialized);
  std::string method = vectors::text(serialized, "method", "POST");
  std::string path = uri.substr(0, question);
  std::string query = uri.substr(std::min(question + 1, uri.size()));
  wire::Operation operation = vectors::operation_of(test);
  operation.input = &type;
  dynamic::Value value = dynamic::empty(type);
  wire::decode_request(test.protocol, vectors::service_of(test), operation, {method, path, query, headers, body},
                       &value);
  return value;
}

TEST(ProtocolVectors, DecodesRequestsToTheirParameters) {
  vectors::Count count;
  for (const Case& test : vectors::load("input")) {
    if (count.skips(test, kSkipped)) continue;
    SCOPED_TRACE(test.file + " " + test.id);
    dynamic::Model model(test.shapes(), vectors::names_in_json(test.protocol));
    const auto* input = test.given().if_contains("input");
    const wire::TypeInfo& type =
        input ? model.type(input->as_object().at("shape").as_string().c_str()) : wire::type_of<Nothing>();
    try {
      std::string decoded = model.to_text(type, decode(test, type));
      std::string expected = model.to_text(type, model.from_json(type, test.json.at("params")));
      EXPECT_EQ(decoded, expected);
      count.passed += decoded == expected;
    } catch (const wire::ApiError& error) {
      ADD_FAILURE() << error.code() << ": " << error.message();
    }
  }
  count.print("requests");
}

}  // namespace
