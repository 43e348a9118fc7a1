// SPDX-License-Identifier: Apache-2.0
#include "services/s3/stored_runs.h"

#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"

namespace services::s3 {
namespace {

class StoredRunsTest : public ObjectTest {
 protected:
  std::vector<StoredRun> all(std::int64_t most) {
    std::vector<StoredRun> runs;
    store_->read_now([&](store::Tx& tx) {
      for (RunPosition place; place.table != RunPosition::Done;) {
        for (StoredRun& run : next_runs(tx, place, most)) runs.push_back(std::move(run));
      }
    });
    return runs;
  }
  bool used(const StoredRun& run) {
    bool answer = false;
    store_->read_now([&](store::Tx& tx) { answer = is_used(tx, run); });
    return answer;
  }
};

TEST_F(StoredRunsTest, EveryRunOfBytesIsListedOnceWhateverThePageSize) {
  put_bytes("small", "hello");
  put_bytes("large", std::string(100'000, 'x'));
  put_bytes("empty", "");
  for (const std::int64_t most : {1, 2, 100}) {
    const auto runs = all(most);
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].key, "small");
    EXPECT_EQ(runs[0].version, "null");
    EXPECT_EQ(runs[0].bytes->bytes, "hello");
    EXPECT_EQ(runs[0].md5, base::to_hex(base::md5("hello")));
    EXPECT_EQ(runs[0].checksum->kind, "CRC64NVME");
    EXPECT_EQ(runs[1].size, 100'000);
    EXPECT_FALSE(runs[1].bytes->file.empty());
    EXPECT_EQ(runs[2].size, 0);
  }
}

TEST_F(StoredRunsTest, DeletedBytesAreNotInUse) {
  put_bytes("large", std::string(100'000, 'x'));
  const auto runs = all(10);
  EXPECT_TRUE(used(runs.front()));
  run(&delete_object, {.Bucket = "bucket", .Key = "large"});
  EXPECT_FALSE(used(runs.front()));
  EXPECT_TRUE(all(10).empty());
}

TEST_F(StoredRunsTest, FilesWithARowAreFound) {
  put_bytes("large", std::string(100'000, 'x'));
  const std::string file = all(1).front().bytes->file;
  std::vector<std::string> named;
  store_->read_now([&](store::Tx& tx) { named = named_files(tx, {"other", file}); });
  EXPECT_EQ(named, std::vector<std::string>{file});
}

}  // namespace
}  // namespace services::s3
