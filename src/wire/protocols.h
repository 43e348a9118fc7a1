// SPDX-License-Identifier: Apache-2.0
// Each protocol's part of decode_request(), encode_response() and encode_error(), for
// operation.cc. Private to wire.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "wire/operation.h"

namespace wire {

std::vector<Violation> decode_json_request(const Operation&, const HttpRequest&, void* input);
HttpResponse encode_json_response(Protocol, const Operation&, const void* output, std::string_view request_id);
HttpResponse encode_json_error(Protocol, const Service&, const ApiError&, std::string_view request_id);

std::vector<Violation> decode_query_request(Protocol, const Operation&, const HttpRequest&, void* input);
HttpResponse encode_query_response(const Service&, const Operation&, const void* output, std::string_view request_id);
HttpResponse encode_query_error(const Service&, const ApiError&, std::string_view request_id);
HttpResponse encode_ec2_response(const Service&, const Operation&, const void* output, std::string_view request_id);
HttpResponse encode_ec2_error(const Service&, const ApiError&, std::string_view request_id);

std::vector<Violation> decode_rest_xml_request(const Operation&, const HttpRequest&, void* input);
HttpResponse encode_rest_xml_response(const Service&, const Operation&, const void* output,
                                      std::string_view request_id);
HttpResponse encode_rest_xml_error(const Service&, const ApiError&, std::string_view request_id);

std::vector<Violation> decode_cbor_request(const Operation&, const HttpRequest&, void* input);
HttpResponse encode_cbor_response(const Operation&, const void* output, std::string_view request_id);
HttpResponse encode_cbor_error(const Service&, const ApiError&, std::string_view request_id);

// Shared by all protocols. `spec` is null for an error without a shape.
int error_status(const ErrorSpec* spec, const ApiError& error);
bool is_senders_fault(const ErrorSpec* spec, const ApiError& error);
// "AWS.SimpleQueueService.NonExistentQueue"
std::string_view query_code(const ErrorSpec* spec, const ApiError& error);
// "com.amazonaws.sqs#QueueDoesNotExist"
std::string error_type(const Service& service, const ErrorSpec* spec, const ApiError& error);
// Adds x-amzn-query-error if the service is query-compatible.
void add_query_error(const Service& service, const ErrorSpec* spec, const ApiError& error, base::Headers& headers);
// Recorded: CloudWatch leaves an empty message out; others have one.
inline bool shows_message(const Service& service, std::string_view message) {
  return !message.empty() || service.name != "cloudwatch";
}

}  // namespace wire
