// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <unistd.h>

#include <stdexcept>

#include "base/bytes.h"
#include "base/hash.h"
#include "lines.h"
#include "support/answer.h"

namespace bench {
namespace {

constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target";
constexpr char kType[] = "application/x-amz-json-1.1";

// One request after another on a connection; each answer goes to `heard`.
class Putter : public Conversation {
 public:
  explicit Putter(const Endpoint& endpoint) : request_(endpoint, "PutLogEvents") {}

  bool say(std::string& out) override {
    if (!next(body_)) return false;
    request_.append(body_, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    if (answer.body.find("rejected") != answer.body.npos) throw std::runtime_error("events were rejected");
    return {answer.size, true, true, kEventsARequest};
  }

 protected:
  virtual bool next(std::string& body) = 0;

 private:
  LogsRequest request_;
  std::string body_;
};

class RepeatingPutter : public Putter {
 public:
  RepeatingPutter(const Endpoint& endpoint, std::shared_ptr<const std::vector<std::string>> bodies, std::size_t first)
      : Putter(endpoint), bodies_(std::move(bodies)), at_(first) {}

 protected:
  bool next(std::string& body) override {
    body = (*bodies_)[at_++ % bodies_->size()];
    return true;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> bodies_;  // shared by all connections
  std::size_t at_;
};

class FeedingPutter : public Putter {
 public:
  FeedingPutter(const Endpoint& endpoint, int stream, Feed* feed) : Putter(endpoint), stream_(stream), feed_(feed) {}

 protected:
  bool next(std::string& body) override {
    if (feed_->next >= feed_->end) return false;
    body = put_body(stream_, feed_->next, feed_->start_ms);
    feed_->next += kEventsARequest;
    return true;
  }

 private:
  int stream_;
  Feed* feed_;
};

// Any one request; keeps the body of its answer.
class Single : public Conversation {
 public:
  Single(const Endpoint& endpoint, const std::string& operation, std::string body, std::string* answer)
      : request_(endpoint, operation), body_(std::move(body)), answer_(answer) {}

  bool say(std::string& out) override {
    if (said_) return false;
    said_ = true;
    request_.append(body_, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    *answer_ = answer.body;
    return {answer.size, true, true, 1};
  }

 private:
  LogsRequest request_;
  std::string body_;
  std::string* answer_;
  bool said_ = false;
};

std::string call(const Endpoint& endpoint, const std::string& operation, const std::string& body) {
  std::string answer;
  run_alone(connect_to(endpoint.port), std::make_unique<Single>(endpoint, operation, body, &answer));
  return answer;
}

std::string text_member(const std::string& json, const std::string& name) {
  const std::string mark = "\"" + name + "\":\"";
  const std::size_t at = json.rfind(mark);
  if (at == json.npos) return "";
  const std::size_t begin = at + mark.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace

LogsRequest::LogsRequest(const Endpoint& endpoint, std::string operation)
    : signer_(endpoint, "logs"), host_(endpoint.host()), target_("Logs_20140328." + std::move(operation)) {}

void LogsRequest::append(std::string_view body, std::string& out) {
  if (signer_.renew()) render();
  const std::size_t size = canonical_.size();
  canonical_ += base::to_hex(base::sha256(body));
  out.append(head_).append(signer_.sign(canonical_)).append("\r\n");
  canonical_.resize(size);
  out.append(kSdkHeaders).append("Content-Length: ").append(std::to_string(body.size()));
  out.append("\r\n\r\n").append(body);
}

void LogsRequest::render() {
  const std::string& time = signer_.timestamp();
  canonical_ = std::string("POST\n/\n\ncontent-type:") + kType + "\nhost:" + host_ + "\nx-amz-date:" + time +
               "\nx-amz-target:" + target_ + "\n\n" + std::string(kSignedHeaders) + "\n";
  head_ = "POST / HTTP/1.1\r\nHost: " + host_ + "\r\nAccept-Encoding: identity\r\nX-Amz-Target: " + target_ +
          "\r\nContent-Type: " + kType + "\r\nUser-Agent: " + std::string(kUserAgent) + "\r\nX-Amz-Date: " + time +
          "\r\nAuthorization: " + signer_.authorization(kSignedHeaders);
}

void create_group(const Endpoint& endpoint) {
  call(endpoint, "CreateLogGroup", R"({"logGroupName":"bench"})");
  for (int i = 0; i < kStreams; ++i) {
    call(endpoint, "CreateLogStream", R"({"logGroupName":"bench","logStreamName":"s)" + std::to_string(i) + "\"}");
  }
}

std::string put_body(int stream, std::uint64_t first, std::int64_t start_ms) {
  std::string body = R"({"logGroupName":"bench","logStreamName":"s)" + std::to_string(stream) + R"(","logEvents":[)";
  body.reserve(180 * kEventsARequest);
  for (std::uint64_t number = first; number < first + kEventsARequest; ++number) {
    if (number > first) body += ',';
    body += R"({"timestamp":)" + std::to_string(start_ms + static_cast<std::int64_t>(number / 20)) + R"(,"message":")";
    append_line(number, body);
    body += "\"}";
  }
  return body + "]}";
}

std::unique_ptr<Conversation> repeating_putter(const Endpoint& endpoint,
                                               std::shared_ptr<const std::vector<std::string>> bodies,
                                               std::size_t first) {
  return std::make_unique<RepeatingPutter>(endpoint, std::move(bodies), first);
}

std::unique_ptr<Conversation> feeding_putter(const Endpoint& endpoint, int stream, Feed* feed) {
  return std::make_unique<FeedingPutter>(endpoint, stream, feed);
}

Found filter_all(const Endpoint& endpoint, const std::string& pattern, const std::string& range) {
  Found found;
  std::string token;
  do {
    std::string body = R"({"logGroupName":"bench","filterPattern":")" + pattern + "\"" + range;
    if (!token.empty()) body += R"(,"nextToken":")" + token + "\"";
    const std::string answer = call(endpoint, "FilterLogEvents", body + "}");
    ++found.pages;
    for (std::size_t at = 0; (at = answer.find("\"eventId\"", at)) != answer.npos; ++at) ++found.events;
    token = text_member(answer, "nextToken");
  } while (!token.empty());
  return found;
}

std::uint64_t stored_bytes(const Endpoint& endpoint) {
  const std::string answer = call(endpoint, "DescribeLogGroups", "{}");
  const std::size_t at = answer.find("\"storedBytes\":");
  return at == answer.npos ? 0 : std::stoull(answer.substr(at + 14));
}

}  // namespace bench
