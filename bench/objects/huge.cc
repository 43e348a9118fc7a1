// SPDX-License-Identifier: Apache-2.0
#include "objects/huge.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/bytes.h"
#include "base/hash.h"
#include "objects/s3.h"
#include "support/answer.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

constexpr int kConnections = 10;                                               // as many as SDKs open
constexpr std::uint64_t kMostPartBytes = 64 << 20, kLeastPartBytes = 5 << 20;  // the latter is Amazon's
constexpr std::string_view kKey = "huge";

using Requests = std::shared_ptr<S3Requests>;

struct Parts {
  std::string upload_id;
  const Body& body;
  std::uint64_t count = 0, next = 1;
};

class PartPutter : public Conversation {
 public:
  PartPutter(Requests requests, Parts& parts) : requests_(std::move(requests)), parts_(parts) {}
  bool say(std::string& out) override {
    if (parts_.next > parts_.count) return false;
    const std::string query = "partNumber=" + std::to_string(parts_.next++) + "&uploadId=" + parts_.upload_id;
    requests_->append({.method = "PUT", .key = kKey, .query = query, .body = &parts_.body}, out);
    return true;
  }
  std::string_view body() const override { return parts_.body.bytes; }
  Heard hear(std::string_view bytes) override {
    const std::size_t size = read_answer(bytes).size;
    return {size, size > 0, size > 0, 1};
  }

 private:
  Requests requests_;
  Parts& parts_;
};

// Compares each byte with its uploaded part.
class WholeGetter : public Conversation {
 public:
  WholeGetter(Requests requests, const Parts& parts) : requests_(std::move(requests)), parts_(parts) {}
  bool say(std::string& out) override {
    if (std::exchange(said_, true)) return false;
    requests_->append_get(kKey, out);
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const std::uint64_t part_size = parts_.body.bytes.size(), whole = part_size * parts_.count;
    std::size_t used = 0;
    if (!in_body_) {
      const AnswerHead head = read_head(bytes);
      if (head.size == 0) return {};
      if (head.status != 200 || head.body_size != whole) refuse_answer(head.text);
      in_body_ = true;
      used = head.size;
    }
    const std::string_view part = bytes.substr(used);
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t offset = (got_ + at) % part_size, step = std::min(part.size() - at, part_size - offset);
      if (part.substr(at, step) != std::string_view(parts_.body.bytes).substr(offset, step)) {
        throw std::runtime_error("the object has other bytes than were put");
      }
      at += step;
    }
    got_ += part.size();
    return {used + part.size(), got_ == whole, got_ == whole, 1};
  }

 private:
  Requests requests_;
  const Parts& parts_;
  bool said_ = false, in_body_ = false;
  std::uint64_t got_ = 0;
};

Body part_body(std::uint64_t bytes) {
  std::string content;
  for (std::uint64_t i = 0; content.size() < bytes; ++i) content += base::sha256(std::to_string(i));
  content.resize(bytes);
  return Body(std::move(content));
}

std::string complete_request(const Parts& parts) {
  const std::string etag = base::to_hex(base::md5(parts.body.bytes));
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::uint64_t i = 1; i <= parts.count; ++i) {
    xml += "<Part><ETag>\"" + etag + "\"</ETag><PartNumber>" + std::to_string(i) + "</PartNumber></Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

}  // namespace

Huge measure_huge(const HugePlan& plan) {
  Huge huge;
  std::filesystem::remove_all(plan.folder);
  StokerServer server(plan.program, plan.folder);
  const S3Bucket bucket(server.endpoint(), "bench");
  const auto requests = std::make_shared<S3Requests>(server.endpoint(), "bench");
  const Body body = part_body(std::clamp(plan.bytes / 4, kLeastPartBytes, kMostPartBytes));
  Parts parts = {.upload_id = {}, .body = body, .count = std::max<std::uint64_t>(plan.bytes / body.bytes.size(), 1)};
  huge.bytes = parts.count * body.bytes.size();

  huge.before = server.peak_memory();
  const std::string begun = bucket.ask({.method = "POST", .key = kKey, .query = "uploads=", .body = nullptr});
  parts.upload_id = base::percent_encode(element(begun, "UploadId"));
  std::vector<Connection> putters;
  for (int i = 0; i < kConnections; ++i) {
    putters.emplace_back(connect_to(bucket.port()), std::make_unique<PartPutter>(requests, parts));
  }
  huge.in = run_whole_load(putters, Seconds(24 * 3600)).elapsed;
  huge.after_in = server.peak_memory();
  const Body complete(complete_request(parts));
  const std::string query = "uploadId=" + parts.upload_id;
  bucket.ask({.method = "POST", .key = kKey, .query = query, .body = &complete});

  const auto began = std::chrono::steady_clock::now();
  run_alone(connect_to(bucket.port()), std::make_unique<WholeGetter>(requests, parts));
  huge.out = std::chrono::steady_clock::now() - began;
  huge.after_out = server.peak_memory();
  server.stop();
  std::filesystem::remove_all(plan.folder);
  return huge;
}

}  // namespace bench
