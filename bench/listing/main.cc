// SPDX-License-Identifier: Apache-2.0
// The cost of a page of a listing, at the beginning of a bucket and at its end. The handlers
// run on a database with a million keys: a page should cost the same everywhere, however many
// keys its common prefixes contain.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/random.h"
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/objects/list_objects.h"
#include "services/s3/objects/list_versions.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/module.h"
#include "store/store.h"

namespace {

namespace s3 = services::s3;
using Clock = std::chrono::steady_clock;

struct Options {
  int keys = 1000000;
  bool quick = false;
};

class Bench {
 public:
  explicit Bench(int keys)
      : keys_(keys), folder_(std::filesystem::current_path() / ("listing-" + base::random_uuid())) {
    const services::Module module = s3::module({});
    store_ = store::open_sqlite(folder_, {services::usage_migrations(), module.migrations});
    module.add_memory(locals_);
    write([](services::Call& call) { s3::create_bucket(call, {.Bucket = "bench"}); });
  }
  ~Bench() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // "00/00/000000" and so on: a hundred folders with a hundred folders each. Every tenth key has an older version.
  void fill() {
    constexpr int kAtOnce = 10000;
    for (int first = 0; first < keys_; first += kAtOnce) {
      write([&](services::Call& call) {
        for (int i = first; i < std::min(first + kAtOnce, keys_); ++i) insert(call, i);
      });
    }
  }

  void objects() {
    services::s3::shape::ListObjectsV2Request request{.Bucket = "bench"};
    measure("objects", [&](services::Call& call) {
      auto page = s3::list_objects_v2(call, request);
      request.ContinuationToken = page.NextContinuationToken;
      shown_ += *page.KeyCount;
      return *page.IsTruncated;
    });
  }
  void folders() {
    services::s3::shape::ListObjectsV2Request request{.Bucket = "bench", .Delimiter = "/", .MaxKeys = 10};
    measure("folders, 10 a page", [&](services::Call& call) {
      auto page = s3::list_objects_v2(call, request);
      request.ContinuationToken = page.NextContinuationToken;
      shown_ += *page.KeyCount;
      return *page.IsTruncated;
    });
  }
  void versions() {
    services::s3::shape::ListObjectVersionsRequest request{.Bucket = "bench"};
    measure("versions", [&](services::Call& call) {
      auto page = s3::list_object_versions(call, request);
      request.KeyMarker = page.NextKeyMarker;
      request.VersionIdMarker = page.NextVersionIdMarker;
      shown_ += static_cast<std::int64_t>(page.Versions->size());
      return *page.IsTruncated;
    });
  }

 private:
  template <class Fn>
  void write(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      services::Call call{tx, caller_, now_, now_, &locals_};
      fn(call);
    });
  }

  void insert(services::Call& call, int i) {
    char key[32];
    std::snprintf(key, sizeof key, "%02d/%02d/%06d", i * 100 / keys_, (i / 100) % 100, i);
    auto row = [&](std::int64_t id, bool latest) {
      call.tx.exec("INSERT INTO s3_objects (id, bucket, key, tag, latest, marker, modified_at, size, etag, parts, headers,"
                   " tags) VALUES ($1, 1, $2, $3, $4, 0, $5, 5, '900150983cd24fb0d6963f7d28e17f72', 0, '{}', '')",
                   id, base::Blob{key}, id, latest, now_);
    };
    row(2 * i + 2, true);
    if (i % 10 == 0) row(2 * i + 1, false);
  }

  // Every page of a listing: the first ten, the last ten, and the slowest.
  template <class Fn>
  void measure(const char* name, Fn&& one_page) {
    std::vector<double> milliseconds;
    shown_ = 0;
    for (bool more = true; more;) {
      const Clock::time_point began = Clock::now();
      store_->read_now([&](store::Tx& tx) {
        services::Call call{tx, caller_, now_, now_, &locals_};
        more = one_page(call);
      });
      milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
    }
    auto median = [](auto first, auto last) {
      std::vector<double> some(first, last);
      std::sort(some.begin(), some.end());
      return some[some.size() / 2];
    };
    const auto ten = static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, milliseconds.size()));
    std::printf("%-20s %8lld shown in %5zu pages   first %6.2f ms   last %6.2f ms   slowest %6.2f ms\n", name,
                static_cast<long long>(shown_), milliseconds.size(), median(milliseconds.begin(), milliseconds.begin() + ten),
                median(milliseconds.end() - ten, milliseconds.end()),
                *std::max_element(milliseconds.begin(), milliseconds.end()));
  }

  int keys_;
  std::string folder_;
  std::unique_ptr<store::Store> store_;
  services::Locals locals_;
  services::Caller caller_{.account = "111111111111", .access_key = {}, .region = "us-east-1", .endpoint = {}, .request_id = {}};
  base::Time now_ = base::from_seconds(1800000000);
  std::int64_t shown_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What a page of a bucket's listing costs");
  app.add_option("--keys", options.keys, "keys in the bucket")->check(CLI::Range(1000, 100000000));
  app.add_flag("--quick", options.quick, "a bucket of 20,000: does the benchmark still work?");
  CLI11_PARSE(app, argc, argv);
  Bench bench(options.quick ? 20000 : options.keys);
  bench.fill();
  bench.objects();
  bench.folders();
  bench.versions();
  return 0;
}
