// SPDX-License-Identifier: Apache-2.0
#include "objects/listing.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "base/bytes.h"
#include "objects/s3.h"
#include "support/answer.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFillConnections = 64;
// Consecutive keys are in different folders of a thousand, so that neighbours in the listing are not
// neighbours in time.
constexpr std::uint64_t kFolders = 1000;

std::string key_of(std::uint64_t number) {
  const std::string folder = std::to_string(kFolders + number % kFolders);
  return "folder-" + folder.substr(1) + "/" + std::to_string(1000000000 + number).substr(1) + ".json";
}

class Filler : public Conversation {
 public:
  Filler(std::shared_ptr<S3Requests> requests, const Body& body, std::uint64_t& left)
      : requests_(std::move(requests)), body_(body), left_(left) {}
  bool say(std::string& out) override {
    if (left_ == 0) return false;
    requests_->append_put(key_of(--left_), body_, false, out);
    out += body_.bytes;
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const std::size_t size = read_answer(bytes).size;
    return {size, size > 0, size > 0, 1};
  }

 private:
  std::shared_ptr<S3Requests> requests_;
  const Body& body_;
  std::uint64_t& left_;
};

// Page after page on one connection, each timed.
class Lister : public Conversation {
 public:
  Lister(std::shared_ptr<S3Requests> requests, Listing& listing) : requests_(std::move(requests)), listing_(listing) {}
  bool say(std::string& out) override {
    if (at_end_) return false;
    std::string query = token_.empty() ? "" : "continuation-token=" + base::percent_encode(token_) + "&";
    query += "encoding-type=url&list-type=2";
    requests_->append({.method = "GET", .key = "", .query = query, .body = nullptr}, out);
    asked_ = Clock::now();
    return true;
  }
  Heard hear(std::string_view bytes) override {
    const Answer answer = read_answer(bytes);
    if (answer.size == 0) return {};
    listing_.pages.push_back(Clock::now() - asked_);
    for (std::size_t at = 0; (at = answer.body.find("<Key>", at)) != answer.body.npos; ++at) ++listing_.listed;
    token_ = element(answer.body, "NextContinuationToken");
    at_end_ = token_.empty();
    return {answer.size, true, true, 1};
  }

 private:
  std::shared_ptr<S3Requests> requests_;
  Listing& listing_;
  Clock::time_point asked_;
  std::string token_;
  bool at_end_ = false;
};

}  // namespace

Listing measure_listing(const ListingPlan& plan) {
  Listing listing;
  listing.keys = plan.keys;
  std::filesystem::remove_all(plan.folder);
  StokerServer server(plan.program, plan.folder);
  S3Bucket(server.endpoint(), "bench");
  const auto requests = std::make_shared<S3Requests>(server.endpoint(), "bench");
  const Body body("x");
  std::uint64_t left = plan.keys;
  std::vector<Connection> fillers;
  for (int i = 0; i < kFillConnections; ++i) {
    fillers.emplace_back(connect_to(server.endpoint().port), std::make_unique<Filler>(requests, body, left));
  }
  const Outcome filled = run_whole_load(fillers, Seconds(24 * 3600));
  listing.fill_rate = filled.per_second(filled.done);
  run_alone(connect_to(server.endpoint().port), std::make_unique<Lister>(requests, listing));
  server.stop();
  std::filesystem::remove_all(plan.folder);
  if (listing.listed != listing.keys) {
    throw std::runtime_error("listed " + std::to_string(listing.listed) + " of " + std::to_string(listing.keys));
  }
  return listing;
}

}  // namespace bench
