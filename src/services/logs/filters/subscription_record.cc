// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/subscription_record.h"

#include <fmt/format.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "services/invoke.h"
#include "services/logs/filters/publish.h"
#include "shapes/sqs/message.h"
#include "wire/json.h"

namespace services::logs {
namespace {

constexpr std::size_t kMaxMessageBytes = 1048576;  // of SQS; a queue may have a lower limit
constexpr int kGzipLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // with gzip's header

std::string quoted_json(std::string_view text) {
  std::string out;
  wire::write_json_string(text, out);
  return out;
}

std::string to_body(const std::string& json) { return base::to_base64(gzip(json)); }

bool is_too_long(const wire::ApiError& error) { return error.code() == "InvalidParameterValueException"; }

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK) << "no memory";
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  CHECK(result == Z_STREAM_END) << "deflate: " << result;
  return out;
}

std::string data_record(const Ingested& put, const std::string& filter, std::span<const RecordEvent> events) {
  std::string json = fmt::format(
      R"({{"messageType":"DATA_MESSAGE","owner":{},"logGroup":{},"logStream":{},"subscriptionFilters":[{}],"logEvents":[)",
      quoted_json(put.group.account), quoted_json(put.group.name), quoted_json(put.stream), quoted_json(filter));
  for (const RecordEvent& event : events) {
    if (&event != events.data()) json += ',';
    json += fmt::format(R"({{"id":"{}","timestamp":{},"message":)", event.id, event.timestamp_ms);
    wire::write_json_string(event.message, json);
    json += '}';
  }
  return to_body(json + "]}");
}

std::string control_record(base::Time now) {
  return to_body(fmt::format(
      R"({{"messageType":"CONTROL_MESSAGE","owner":"CloudwatchLogs","logGroup":"","logStream":"","subscriptionFilters":[],)"
      R"("logEvents":[{{"id":"","timestamp":{},"message":"CWL CONTROL MESSAGE: Checking health of destination SQS."}}]}})",
      base::to_millis(now)));
}

void send_to_queue(Call& call, const std::string& group_arn, const std::string& account, const std::string& queue_arn,
                   const std::string& body) {
  const shapes::sqs::SendMessageRequest request{.QueueUrl = queue_arn, .MessageBody = body};
  invoke<shapes::sqs::SendMessageResult>(call, as_service(call, kPrincipal, group_arn, account), "sqs", "SendMessage",
                                         request);
}

void send_records(Call& call, const Ingested& put, const std::string& filter, const std::string& queue_arn,
                  std::span<const RecordEvent> events) {
  const std::string body = data_record(put, filter, events);
  bool too_long = body.size() > kMaxMessageBytes;
  std::string why = "the message is too long";
  if (!too_long) {
    try {
      send_to_queue(call, put.group.arn(), put.group.account, queue_arn, body);
      return;
    } catch (const wire::ApiError& error) {
      too_long = is_too_long(error);
      why = error.message();
    }
  }
  if (too_long && events.size() > 1) {
    const std::size_t half = events.size() / 2;
    send_records(call, put, filter, queue_arn, events.subspan(0, half));
    send_records(call, put, filter, queue_arn, events.subspan(half));
    return;
  }
  // The events are stored: a queue that rejects them does not undo that.
  base::log_warn("log events not delivered", {{"request", call.caller.request_id},
                                              {"group", put.group.name},
                                              {"filter", filter},
                                              {"queue", queue_arn},
                                              {"why", why}});
}

}  // namespace services::logs
