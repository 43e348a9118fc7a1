// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/bytes.h"
#include "base/utf8.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/logs/resource_policies.h"
#include "services/logs/sequence_token.h"
#include "shapes/logs/log_stream.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::int64_t kMaxPage = 50;

void create_log_stream(Call& call, const CreateLogStreamRequest& request) {
  check_group_name(request.logGroupName);
  check_stream_name(request.logStreamName);
  const Group group = require_group(call, request.logGroupName);
  check_service(call, group, request.logStreamName, "logs:CreateLogStream");
  if (find_stream(call.tx, group.id, request.logStreamName)) {
    throw wire::ApiError("ResourceAlreadyExistsException", "The specified log stream already exists");
  }
  const std::int64_t number =
      call.tx.query("UPDATE logs_groups SET streams = streams + 1 WHERE id = $1 RETURNING streams", group.id).integer();
  call.tx.exec("INSERT INTO logs_streams (group_id, number, name, created_at, order_at) VALUES ($1, $2, $3, $4, $4)",
               group.id, number, request.logStreamName, call.now);
}

// Its events have no stream from then on: reads skip them until retention deletes their chunks.
void delete_log_stream(Call& call, const DeleteLogStreamRequest& request) {
  check_group_name(request.logGroupName);
  check_stream_name(request.logStreamName);
  const Group group = require_group(call, request.logGroupName);
  check_unprotected(group);
  const Stream stream = require_stream(call, group, request.logStreamName);
  call.tx.exec("DELETE FROM logs_streams WHERE group_id = $1 AND number = $2", group.id, stream.number);
}

LogStream describe_stream(const Group& group, const Stream& stream) {
  LogStream shown;
  shown.logStreamName = stream.name;
  shown.creationTime = base::to_millis(stream.created);
  shown.firstEventTimestamp = stream.first_event_ms;
  shown.lastEventTimestamp = stream.last_event_ms;
  shown.lastIngestionTime = stream.last_ingested_ms;
  if (stream.last_batch) shown.uploadSequenceToken = sequence_token(*stream.last_batch);
  shown.arn = group.stream_arn(stream.name);
  shown.storedBytes = 0;  // Amazon's, since June 2019
  return shown;
}

// The last stream of a page: by time "1800000000000 name", by name "name".
struct StreamPlace {
  std::int64_t time_ms = 0;
  std::string name;
};

StreamPlace parse_place(const std::string& token, bool by_time) {
  const auto text = base::from_base64(token);
  if (!text || text->empty() || text->find('\0') != text->npos || !base::is_utf8(*text)) throw invalid_token();
  if (!by_time) return {0, *text};
  StreamPlace place;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, place.time_ms);
  if (error != std::errc() || rest == end || *rest != ' ') throw invalid_token();
  place.name.assign(rest + 1, end);
  return place;
}

// The names and times of a page and of one stream more.
std::vector<StreamPlace> list_streams(Call& call, std::int64_t group, const std::string& prefix, bool by_time,
                                      bool descending, const std::optional<StreamPlace>& after, std::int64_t most) {
  const auto place = [](const store::Row& row) { return StreamPlace{row.integer(0), row.str(1)}; };
  const std::string select = "SELECT order_at, name FROM logs_streams WHERE group_id = $1";
  if (by_time) {
    const StreamPlace from = after.value_or(descending ? StreamPlace{INT64_MAX, ""} : StreamPlace{-1, ""});
    const std::string sql = select + (descending ? " AND (order_at, name) < ($2, $3) ORDER BY order_at DESC, name DESC"
                                                 : " AND (order_at, name) > ($2, $3) ORDER BY order_at, name");
    return call.tx.query(sql + " LIMIT $4", group, from.time_ms, from.name, most).all(place);
  }
  // With the last character of Unicode after it, the prefix is beyond all names that start with it.
  std::vector<StreamPlace> found;
  if (descending) {
    const std::string from = after ? after->name : prefix + "\xf4\x8f\xbf\xbf";
    found = call.tx
                .query(select + " AND name < $2 AND name >= $3 ORDER BY name DESC LIMIT $4", group, from, prefix, most)
                .all(place);
  } else {
    found = call.tx
                .query(select + " AND name > $2 AND name >= $3 ORDER BY name LIMIT $4", group, after ? after->name : "",
                       prefix, most)
                .all(place);
  }
  std::erase_if(found, [&](const StreamPlace& stream) { return !stream.name.starts_with(prefix); });
  return found;
}

DescribeLogStreamsResponse describe_log_streams(Call& call, const DescribeLogStreamsRequest& request) {
  const Group group = require_group(call, request.logGroupName, request.logGroupIdentifier);
  const bool by_time = request.orderBy == "LastEventTime";
  if (by_time && request.logStreamNamePrefix) {
    throw invalid_parameter("Cannot order by LastEventTime with a logStreamNamePrefix.");
  }
  const std::string prefix = request.logStreamNamePrefix.value_or("");
  if (!prefix.empty()) check_stream_name(prefix);
  const std::int64_t limit = request.limit.value_or(kMaxPage);
  std::optional<StreamPlace> after;
  if (request.nextToken) after = parse_place(*request.nextToken, by_time);
  auto places =
      list_streams(call, group.id, prefix, by_time, request.descending.value_or(false), after, limit + 1);
  DescribeLogStreamsResponse response;
  response.logStreams.emplace();
  if (std::ssize(places) > limit) {
    places.resize(static_cast<std::size_t>(limit));
    const StreamPlace& last = places.back();
    response.nextToken = base::to_base64(by_time ? std::to_string(last.time_ms) + " " + last.name : last.name);
  }
  for (const StreamPlace& place : places) {
    response.logStreams->push_back(describe_stream(group, *find_stream(call.tx, group.id, place.name)));
  }
  return response;
}

}  // namespace

std::vector<Operation> stream_operations() {
  return {
      operation<&create_log_stream>("CreateLogStream", Access::Write),
      operation<&delete_log_stream>("DeleteLogStream", Access::Write),
      operation<&describe_log_streams>("DescribeLogStreams", Access::Read),
  };
}

}  // namespace services::logs
