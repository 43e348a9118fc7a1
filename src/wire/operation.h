// SPDX-License-Identifier: Apache-2.0
// Services and operations as tables, and the way from a request's bytes to a
// struct and from a struct to a response's bytes, in each of Amazon's protocols.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/headers.h"
#include "wire/error.h"
#include "wire/type_of.h"
#include "wire/validate.h"

namespace wire {

enum class Protocol { Json10, Json11, Query, Ec2, RestXml, Cbor };

struct ErrorSpec {
  std::string_view name = {};        // the shape
  std::string_view query_code = {};  // its code in query, XML and x-amzn-query-error; "" = name
  int status = 400;
  bool sender = true;                    // the client's fault
  std::string_view json_namespace = {};  // "" = the service's
  std::string_view query_message = {};   // the message for query clients, if Amazon's differs there
};

struct Service {
  std::string_view name = {};            // "sqs"
  std::string_view json_namespace = {};  // "com.amazonaws.sqs"; "" = errors carry their bare name (ECS)
  std::string_view target_prefix = {};   // "AmazonSQS"
  std::string_view api_version = {};     // "2012-11-05"
  std::string_view xml_namespace = {};   // "http://queue.amazonaws.com/doc/2012-11-05/"
  bool query_compatible = false;         // JSON and CBOR errors carry x-amzn-query-error
  std::span<const ErrorSpec> errors = {};

  // nullptr for a code without a shape.
  const ErrorSpec* find_error(std::string_view name) const;
};

// restXml
struct HttpBinding {
  std::string_view method = "POST";
  std::string_view uri = "/";  // "/{Bucket}/{Key+}?uploads"
  int status = 200;
  std::string_view header = {};  // distinguishes operations with the same method and uri
};

struct Operation {
  std::string_view name = {};
  const TypeInfo* input = nullptr;  // nullptr: no members
  const TypeInfo* output = nullptr;
  HttpBinding http = {};
};

struct HttpRequest {
  std::string_view method = {};
  std::string_view path = {};   // raw, still percent-encoded; S3: path style, the bucket first
  std::string_view query = {};  // raw, without '?'
  const base::Headers& headers;
  std::string_view body = {};
};

struct HttpResponse {
  int status = 200;
  base::Headers headers = {};
  std::string body = {};
};

// Fills `input`, a default-constructed value of operation.input's type (null if that is
// null). Returns the missing required members, which the struct alone cannot distinguish
// from empty ones: pass them to validation_message() with the result of validate().
// Throws ApiError for an invalid request: SerializationException (JSON,
// CBOR), MalformedXML (restXml), MalformedQueryString and MalformedInput (query).
std::vector<Violation> decode_request(Protocol protocol, const Service& service, const Operation& operation,
                                      const HttpRequest& request, void* input);

HttpResponse encode_response(Protocol protocol, const Service& service, const Operation& operation, const void* output,
                             std::string_view request_id);

HttpResponse encode_error(Protocol protocol, const Service& service, const ApiError& error,
                          std::string_view request_id);

// For clients; Json10 and Json11 only.
struct OutgoingRequest {
  std::string method;
  std::string path;
  base::Headers headers = {};
  std::string body = {};
};
OutgoingRequest encode_request(Protocol protocol, const Service& service, const Operation& operation,
                               const void* input);
// Throws the ApiError in the response if its status is not 2xx.
void decode_response(Protocol protocol, const Service& service, const Operation& operation,
                     const HttpResponse& response, void* output);

}  // namespace wire
