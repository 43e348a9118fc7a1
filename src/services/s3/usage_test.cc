// SPDX-License-Identifier: Apache-2.0
// What objects add to the use of their bucket's account. The fixture compares the totals with the rows after each test.
#include <gmock/gmock.h>

#include <random>

#include "services/quota.h"
#include "services/s3/buckets/bucket_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/copy_object.h"
#include "services/s3/objects/delete_objects.h"

namespace services::s3 {
namespace {

using testing::HasSubstr;

class UsageTest : public ObjectTest {
 protected:
  Usage used(const std::string& account = "111111111111") {
    return with_call([&](Call& call) { return find_usage(call.tx, account); });
  }
  void limit(const Quota& quota) { locals_.add<Quotas>(Quotas{.each = quota}); }
  std::string put_error(const std::string& key, std::size_t size) {
    return error_of([&] { put_bytes(key, std::string(size, 'x')); });
  }
  void copy(const std::string& from, const std::string& to) {
    send(&prepare_copy_object, &copy_object, {.Bucket = "bucket", .CopySource = "bucket/" + from, .Key = to});
  }
  void abort(const std::string& key, const std::string& upload) {
    run(&abort_multipart_upload, {.Bucket = "bucket", .Key = key, .UploadId = upload});
  }
};

TEST_F(UsageTest, AnObjectIsReplacedAndDeleted) {
  put_bytes("a", "12345");
  EXPECT_EQ(used(), (Usage{.bytes = 5, .objects = 1}));
  put_bytes("a", "123");
  put_bytes("b", "1234");
  EXPECT_EQ(used(), (Usage{.bytes = 7, .objects = 2}));
  copy("b", "c");
  EXPECT_EQ(used(), (Usage{.bytes = 11, .objects = 3})) << "copies share their bytes on the disk, and count";
  remove("a");
  remove("a");
  EXPECT_EQ(used(), (Usage{.bytes = 8, .objects = 2}));
}

TEST_F(UsageTest, EachVersionAndDeleteMarkerCounts) {
  version("Enabled");
  const std::string first = *put_bytes("a", "12345").VersionId;
  put_bytes("a", "123");
  remove("a");
  EXPECT_EQ(used(), (Usage{.bytes = 8, .objects = 3}));
  run(&delete_object, {.Bucket = "bucket", .Key = "a", .VersionId = first});
  EXPECT_EQ(used(), (Usage{.bytes = 3, .objects = 2}));
  version("Suspended");
  put_bytes("a", "1");
  put_bytes("a", "12");
  remove("a");
  EXPECT_EQ(used(), (Usage{.bytes = 3, .objects = 3}));
}

TEST_F(UsageTest, PartsCountUntilTheyBecomeAnObjectOrAreAborted) {
  const std::string upload = create("a");
  part("a", upload, 1, std::string(100, 'x'));
  part("a", upload, 1, std::string(60, 'x'));
  const auto last = part("a", upload, 2, std::string(10, 'x'));
  EXPECT_EQ(used(), (Usage{.bytes = 70, .objects = 3}));
  complete("a", upload, {last});
  EXPECT_EQ(used(), (Usage{.bytes = 10, .objects = 1}));
  const std::string other = create("b");
  part("b", other, 1, "12345");
  abort("b", other);
  EXPECT_EQ(used(), (Usage{.bytes = 10, .objects = 1}));
}

TEST_F(UsageTest, ABucketThatIsDeletedFreesItsUploads) {
  make_bucket("other");
  const std::string upload = *run(&create_multipart_upload, {.Bucket = "other", .Key = "k"}).UploadId;
  EXPECT_EQ(used().objects, 1);
  run(&delete_bucket, {.Bucket = "other"});
  EXPECT_EQ(used(), Usage());
}

TEST_F(UsageTest, AQuotaOfBytesRejectsWhatGrows) {
  limit({.bytes = 10});
  EXPECT_EQ(put_error("a", 8), "");
  EXPECT_EQ(put_error("b", 3), "QuotaExceeded");
  EXPECT_EQ(message(), "The account 111111111111 has reached its quota of bytes: 8 of 10 are used; this request needs 3 more.");
  EXPECT_EQ(put_error("a", 10), "");
  EXPECT_EQ(error_of([&] { copy("a", "b"); }), "QuotaExceeded");
  const std::string upload = create("c");
  EXPECT_EQ(error_of([&] { part("c", upload, 1, "1"); }), "QuotaExceeded");
  EXPECT_EQ(put_error("a", 4), "") << "what replaces more needs no room";
  const auto one = part("c", upload, 1, "123456");
  part("c", upload, 1, "654321");
  EXPECT_EQ(error_of([&] { part("c", upload, 2, "1"); }), "QuotaExceeded");
  complete("c", upload, {part("c", upload, 1, "123456")});
  EXPECT_EQ(used(), (Usage{.bytes = 10, .objects = 2})) << "completing an upload needs no room";
  remove("a");
  EXPECT_EQ(put_error("d", 4), "");
}

TEST_F(UsageTest, AQuotaBelowTheUseStillLetsObjectsShrink) {
  put_bytes("a", "1234567890");
  limit({.bytes = 5});
  EXPECT_EQ(put_error("a", 9), "");
  EXPECT_EQ(put_error("b", 0), "");
  EXPECT_EQ(put_error("b", 1), "QuotaExceeded");
}

TEST_F(UsageTest, AQuotaOfObjectsNeverPreventsADeletion) {
  version("Enabled");
  limit({.objects = 2});
  put_bytes("a", "1");
  put_bytes("b", "1");
  EXPECT_EQ(put_error("c", 1), "QuotaExceeded");
  EXPECT_EQ(error_of([&] { create("c"); }), "QuotaExceeded");
  remove("a");
  EXPECT_EQ(used().objects, 3);
  EXPECT_EQ(error_of([&] { remove("a"); }), "QuotaExceeded") << "a marker above a marker";
  EXPECT_EQ(error_of([&] { remove("never"); }), "QuotaExceeded");
}

TEST_F(UsageTest, TheBucketsAccountPays) {
  locals_.add<Quotas>(Quotas{.accounts = {{"111111111111", {.objects = 0}}}});
  EXPECT_EQ(put_error("a", 1), "QuotaExceeded");
  caller_.account = "222222222222";
  make_bucket("others");
  EXPECT_EQ(error_of([&] { put_bytes({.Bucket = "others", .Key = "k"}, "12"); }), "");
  EXPECT_EQ(used("222222222222"), (Usage{.bytes = 2, .objects = 1}));
  EXPECT_EQ(used(), Usage());
}

TEST_F(UsageTest, RandomOperationsKeepTheTotalsExact) {
  std::mt19937 random(20270116);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  const std::vector<std::string> keys = {"a", "b", "c"};
  std::vector<std::pair<std::string, std::string>> uploads;
  for (int step = 0; step < 500; ++step) {
    const std::string& key = keys[below(keys.size())];
    const std::string bytes(below(40), 'x');
    switch (below(9)) {
      case 0:
        version(below(2) ? "Enabled" : "Suspended");
        break;
      case 1:
      case 2:
        put_bytes(key, bytes);
        break;
      case 3:
        remove(key);
        break;
      case 4:
        (void)error_of([&] { copy(key, keys[below(keys.size())]); });
        break;
      case 5:
        if (uploads.size() < 5) uploads.emplace_back(key, create(key));
        break;
      case 6:
        if (!uploads.empty()) part(uploads.back().first, uploads.back().second, 1 + static_cast<std::int32_t>(below(3)), bytes);
        break;
      case 7:
        if (uploads.empty()) break;
        if (below(2)) {
          abort(uploads.back().first, uploads.back().second);
        } else {
          const auto& [name, upload] = uploads.back();
          complete(name, upload, {part(name, upload, 2, bytes)});
        }
        uploads.pop_back();
        break;
      default:
        const auto latest = with_call([&](Call& call) { return load_latest(call.tx, *load_bucket(call.tx, "bucket"), key); });
        if (latest) run(&delete_object, {.Bucket = "bucket", .Key = key, .VersionId = latest->version()});
    }
    if (step % 50 == 0) expect_exact_usage(*store_, module_.migrations);
  }
}

TEST(UsageUpgrade, CountsWhatThereIs) {
  const std::string folder = testing::TempDir() + "s3-usage-" + base::random_uuid();
  const store::Migrations now = module({}).migrations;
  store::Migrations before = now;
  before.steps.resize(1);
  store::open_sqlite(folder, {before})->write_now([](store::Tx& tx) {
    tx.exec("INSERT INTO s3_buckets (id, name, account, region, created_at) VALUES (1, 'b', '111111111111', 'r', 0)");
    tx.exec("INSERT INTO s3_objects (id, bucket, key, latest, marker, modified_at, size, etag, parts, headers, tags)"
            " VALUES (1, 1, $1, 1, 0, 0, 7, '', 0, '{}', '')",
            base::Blob{"k"});
    tx.exec("INSERT INTO s3_uploads (id, bucket, key, tag, initiated_at, account, headers, tags)"
            " VALUES (1, 1, $1, 1, 0, '', '{}', '')",
            base::Blob{"k"});
    tx.exec("INSERT INTO s3_parts (upload, number, modified_at, size, blob, etag) VALUES (1, 1, 0, 5, 1, '')");
  });
  store::open_sqlite(folder, {usage_migrations(), now})->read_now([](store::Tx& tx) {
    EXPECT_EQ(usage_text(tx), "111111111111 bytes=12 queues=0 objects=3\n");
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace services::s3
