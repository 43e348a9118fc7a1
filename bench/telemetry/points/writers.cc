// SPDX-License-Identifier: Apache-2.0
#include "writers.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "batches.h"
#include "support/answer.h"

namespace bench {
namespace {

// A signed POST. CBOR has its operation in the path, JSON in the target.
class SignedPost {
 public:
  SignedPost(const Endpoint& endpoint, std::string path, std::string type, std::string target)
      : signer_(endpoint, "monitoring"),
        host_(endpoint.host()),
        path_(std::move(path)),
        type_(std::move(type)),
        target_(std::move(target)),
        signed_(target_.empty() ? "content-type;host;x-amz-date" : "content-type;host;x-amz-date;x-amz-target") {}

  void append_head(std::string_view body, std::string& out) {
    signer_.renew();
    const std::string canonical = "POST\n" + path_ + "\n\ncontent-type:" + type_ + "\nhost:" + host_ +
                                  "\nx-amz-date:" + signer_.timestamp() +
                                  (target_.empty() ? "" : "\nx-amz-target:" + target_) + "\n\n" + signed_ + "\n" +
                                  base::to_hex(base::sha256(body));
    const std::string protocol = target_.empty() ? "smithy-protocol: rpc-v2-cbor\r\nAccept: application/cbor\r\n"
                                                 : "X-Amz-Target: " + target_ + "\r\n";
    out += "POST " + path_ + " HTTP/1.1\r\nHost: " + host_ + "\r\nContent-Type: " + type_ + "\r\n" + protocol +
           "X-Amz-Date: " + signer_.timestamp() + "\r\nAuthorization: " + signer_.authorization(signed_) +
           signer_.sign(canonical) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  }

 private:
  Signer signer_;
  std::string host_, path_, type_, target_, signed_;
};

class StokerWriter : public Conversation {
 public:
  StokerWriter(const Endpoint& endpoint, const Share& share)
      : post_(endpoint, "/service/GraniteServiceVersion20100801/operation/PutMetricData", "application/cbor", "") {
    for (int group = share.first; group < share.groups; group += share.step) {
      gauges_.emplace_back(group, share.first_second);
      batches_.emplace_back(group);
    }
  }

  bool say(std::string& out) override {
    const std::size_t i = next_++ % gauges_.size();
    gauges_[i].advance();
    body_ = &batches_[i].render(gauges_[i]);
    post_.append_head(*body_, out);
    return true;
  }
  std::string_view body() const override { return *body_; }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    return {.used = answer.size, .answered = true, .done = true, .messages = kBatchPoints};
  }

 private:
  SignedPost post_;
  std::vector<Gauges> gauges_;
  std::vector<CborBatch> batches_;
  std::size_t next_ = 0;
  const std::string* body_ = nullptr;
};

class PrometheusWriter : public Conversation {
 public:
  PrometheusWriter(unsigned short port, const Share& share) : host_("127.0.0.1:" + std::to_string(port)) {
    for (int group = share.first; group < share.groups; group += share.step) {
      gauges_.emplace_back(group, share.first_second);
      groups_.push_back(group);
    }
  }

  bool say(std::string& out) override {
    const std::size_t i = next_++ % gauges_.size();
    gauges_[i].advance();
    body_ = remote_write(groups_[i], gauges_[i]);
    out += "POST /api/v1/write HTTP/1.1\r\nHost: " + host_ +
           "\r\nContent-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
           "X-Prometheus-Remote-Write-Version: 0.1.0\r\nContent-Length: " +
           std::to_string(body_.size()) + "\r\n\r\n";
    return true;
  }
  std::string_view body() const override { return body_; }
  Heard hear(std::string_view bytes) override {
    const AnswerHead head = read_head(bytes);
    if (head.size == 0 || bytes.size() < head.size + head.body_size) return {};
    if (head.status != 204) refuse_answer(bytes);
    return {.used = head.size + head.body_size, .answered = true, .done = true, .messages = kBatchPoints};
  }

 private:
  std::string host_;
  std::vector<Gauges> gauges_;
  std::vector<int> groups_;
  std::size_t next_ = 0;
  std::string body_;
};

// Requests in JSON, one after the other.
class JsonCalls : public Conversation {
 public:
  JsonCalls(const Endpoint& endpoint, const std::string& operation, std::vector<std::string> bodies)
      : post_(endpoint, "/", "application/x-amz-json-1.0", "GraniteServiceVersion20100801." + operation),
        bodies_(std::move(bodies)) {}

  bool say(std::string& out) override {
    if (next_ == bodies_.size()) return false;
    post_.append_head(bodies_[next_++], out);
    return true;
  }
  std::string_view body() const override { return bodies_[next_ - 1]; }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    return {.used = answer.size, .answered = true, .done = true, .messages = 1};
  }

 private:
  SignedPost post_;
  std::vector<std::string> bodies_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Conversation> stoker_writer(const Endpoint& endpoint, const Share& share) {
  return std::make_unique<StokerWriter>(endpoint, share);
}

std::unique_ptr<Conversation> prometheus_writer(unsigned short port, const Share& share) {
  return std::make_unique<PrometheusWriter>(port, share);
}

std::unique_ptr<Conversation> backfill_writer(const Endpoint& endpoint, std::int64_t first_second, int count) {
  std::vector<std::string> bodies;
  Gauges gauges(0, first_second);
  for (int done = 0; done < count; done += kBatchPoints) {
    std::string body = R"({"Namespace":"Week","MetricData":[)";
    for (int i = done; i < std::min(count, done + kBatchPoints); ++i) {
      if (i > done) body += ',';
      body += fmt::format(R"({{"MetricName":"Load","Timestamp":{},"Value":{},"StorageResolution":1}})", gauges.second(),
                          gauges.values()[0]);
      gauges.advance();
    }
    bodies.push_back(body + "]}");
  }
  return std::make_unique<JsonCalls>(endpoint, "PutMetricData", std::move(bodies));
}

std::unique_ptr<Conversation> week_reader(const Endpoint& endpoint, std::int64_t first_second, int days) {
  const std::string body =
      fmt::format(R"({{"Namespace":"Week","MetricName":"Load","StartTime":{},"EndTime":{},"Period":3600,)"
                  R"("Statistics":["Average","Minimum","Maximum","Sum","SampleCount"]}})",
                  first_second, first_second + days * 86400);
  return std::make_unique<JsonCalls>(endpoint, "GetMetricStatistics", std::vector<std::string>{body});
}

}  // namespace bench
