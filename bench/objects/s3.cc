// SPDX-License-Identifier: Apache-2.0
#include "objects/s3.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "support/answer.h"

namespace bench {
namespace {

using Requests = std::shared_ptr<S3Requests>;

class Putter : public Conversation {
 public:
  Putter(Requests requests, const PutPlan& plan) : requests_(std::move(requests)), plan_(plan) {}

  bool say(std::string& out) override {
    if (std::exchange(goes_on_, false)) {
      body_ = plan_.body->bytes;
      return true;
    }
    if (*plan_.next >= plan_.end) return false;
    requests_->append_put(plan_.names.at((*plan_.next)++), *plan_.body, plan_.expect_continue, out);
    body_ = plan_.expect_continue ? std::string_view() : plan_.body->bytes;
    return true;
  }
  std::string_view body() const override { return body_; }
  Heard hear(std::string_view bytes) override {
    const AnswerHead head = read_head(bytes);
    if (head.size > 0 && head.status == 100) {
      goes_on_ = true;
      return {head.size, true, false, 0};
    }
    const std::size_t size = read_answer(bytes).size;
    return {size, size > 0, size > 0, 1};
  }

 private:
  Requests requests_;
  PutPlan plan_;
  std::string_view body_;
  bool goes_on_ = false;  // got 100 Continue
};

class Getter : public Conversation {
 public:
  Getter(Requests requests, const GetPlan& plan)
      : requests_(std::move(requests)), plan_(plan), next_(plan.first), left_(plan.count) {}

  bool say(std::string& out) override {
    if (left_ == 0) return false;
    --left_;
    requests_->append_get(plan_.names.at(next_++), out);
    return true;
  }

  // Reads the body in pieces: the whole would not fit into memory.
  Heard hear(std::string_view bytes) override {
    std::size_t used = 0;
    if (!in_body_) {
      const AnswerHead head = read_head(bytes);
      if (head.size == 0) return {};
      if (head.status != 200) refuse_answer(bytes);
      if (head.body_size != wanted().size()) throw std::runtime_error("an object has another size than was put");
      in_body_ = true;
      got_ = 0;
      used = head.size;
    }
    const std::string_view part = bytes.substr(used, wanted().size() - got_);
    if (plan_.compare && part != wanted().substr(got_, part.size())) {
      throw std::runtime_error("an object has other bytes than were put");
    }
    got_ += part.size();
    in_body_ = got_ < wanted().size();
    return {used + part.size(), !in_body_, !in_body_, 1};
  }

 private:
  std::string_view wanted() const { return plan_.body->bytes; }

  Requests requests_;
  GetPlan plan_;
  std::uint64_t next_, left_;
  bool in_body_ = false;
  std::size_t got_ = 0;  // bytes of the body
};

class Asker : public Conversation {
 public:
  Asker(Requests requests, const S3Question& question, std::string& answer)
      : requests_(std::move(requests)), question_(question), answer_(answer) {}
  bool say(std::string& out) override {
    if (std::exchange(said_, true)) return false;
    requests_->append(question_, out);
    return true;
  }
  std::string_view body() const override { return question_.body ? question_.body->bytes : std::string_view(); }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    answer_ = answer.body;
    return {answer.size, true, true, 0};
  }

 private:
  Requests requests_;
  S3Question question_;
  std::string& answer_;
  bool said_ = false;
};

}  // namespace

S3Bucket::S3Bucket(const Endpoint& endpoint, const std::string& name) : S3Bucket(unmade(endpoint, name)) {
  ask({.method = "PUT", .key = "", .query = "", .body = nullptr});
}

S3Bucket S3Bucket::unmade(const Endpoint& endpoint, const std::string& name) {
  return S3Bucket(std::make_shared<S3Requests>(endpoint, name));
}

std::unique_ptr<Conversation> S3Bucket::putter(const PutPlan& plan) const {
  return std::make_unique<Putter>(requests_, plan);
}

std::unique_ptr<Conversation> S3Bucket::getter(const GetPlan& plan) const {
  return std::make_unique<Getter>(requests_, plan);
}

std::string S3Bucket::ask(const S3Question& question) const {
  std::string answer;
  run_alone(connect_to(port()), std::make_unique<Asker>(requests_, question, answer));
  return answer;
}

std::string_view element(std::string_view xml, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const std::size_t begin = xml.find(open);
  if (begin == xml.npos) return "";
  const std::size_t end = xml.find(close, begin);
  return end == xml.npos ? "" : xml.substr(begin + open.size(), end - begin - open.size());
}

}  // namespace bench
