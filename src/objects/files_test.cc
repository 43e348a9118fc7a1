// SPDX-License-Identifier: Apache-2.0
#include "objects/files.h"

#include <thread>

#include "objects/test_folder.h"

namespace objects {
namespace {

class FilesTest : public ObjectsTest {
 protected:
  std::string make(const std::string& text) {
    const std::string name = Files::new_name();
    base::File file = files_.create(name);
    file.write_all(text);
    file.sync();
    files_.sync_names();
    return name;
  }
  std::string read(const std::string& name) const {
    auto file = files_.open(name);
    if (!file) return "not there";
    std::string text(100, '\0');
    text.resize(file->pread(text.data(), text.size(), 0));
    return text;
  }
};

TEST_F(FilesTest, AFileIsReadableBeforeAndAfterItIsKept) {
  const std::string name = make("hello");
  EXPECT_EQ(read(name), "hello");
  EXPECT_EQ(files_in("incoming"), 1u);
  files_.keep(name);
  EXPECT_EQ(read(name), "hello");
  EXPECT_EQ(files_in("incoming"), 0u);
  EXPECT_EQ(files_in(name.substr(0, 2)), 1u);
}

TEST_F(FilesTest, ADroppedFileIsDeletedFromEitherFolder) {
  const std::string incoming = make("a"), kept = make("b");
  files_.keep(kept);
  files_.drop(incoming);
  files_.drop(kept);
  EXPECT_EQ(read(incoming), "not there");
  EXPECT_EQ(read(kept), "not there");
  files_.drop(kept);
  files_.keep(kept);
  EXPECT_EQ(read(kept), "not there");
}

TEST_F(FilesTest, RecoveryKeepsFilesThatHaveARowAndDropsTheRest) {
  const std::string named = make("a"), unnamed = make("b"), kept = make("c");
  files_.keep(kept);
  const Files again(folder_.path + "/objects");
  const auto recovered = again.recover([&](const std::string& name) { return name == named; });
  EXPECT_EQ(recovered.kept, 1u);
  EXPECT_EQ(recovered.dropped, 1u);
  EXPECT_EQ(files_in("incoming"), 0u);
  EXPECT_EQ(read(named), "a");
  EXPECT_EQ(read(unnamed), "not there");
  EXPECT_EQ(read(kept), "c");
}

TEST_F(FilesTest, ACachedFileIsOpenedWithoutWaiting) {
  EXPECT_FALSE(files_.open_cached("0a"));
  files_.create("0a").write_all("bytes");
  for (const bool kept : {false, true}) {
    if (kept) files_.keep("0a");
    // The kernel may evict the name at any time, so look it up first.
    std::optional<base::File> file;
    for (int i = 0; i < 100 && !file; ++i) {
      EXPECT_TRUE(files_.open("0a"));
      file = files_.open_cached("0a");
    }
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size(), 5u);
  }
}

TEST_F(FilesTest, AHeldFileStaysUntilItsLastHoldEnds) {
  for (const char* name : {"0a", "0b"}) files_.create(name).write_all("bytes");
  files_.keep("0a");
  auto first = files_.hold({"0a", "0b"}), second = files_.hold({"0a"});
  EXPECT_FALSE(files_.drop("0a"));
  EXPECT_FALSE(files_.drop("0b"));
  first.reset();
  EXPECT_FALSE(files_.drop("0a"));
  EXPECT_TRUE(files_.drop("0b"));
  EXPECT_TRUE(files_.has("0a"));
  EXPECT_FALSE(files_.has("0b"));
  second.reset();
  EXPECT_TRUE(files_.drop("0a"));
  EXPECT_FALSE(files_.has("0a"));
}

TEST_F(FilesTest, NamesAreListedByFolder) {
  std::vector<std::string> made, found;
  for (int i = 0; i < 20; ++i) {
    made.push_back(make("x"));
    files_.keep(made.back());
  }
  make("not kept");
  for (int folder = 0; folder < Files::kFolders; ++folder) {
    for (const std::string& name : files_.names(folder)) found.push_back(name);
  }
  std::sort(made.begin(), made.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, made);
}

TEST_F(FilesTest, AFileThatMovesMeanwhileIsStillFoundAndDropped) {
  for (int i = 0; i < 200; ++i) {
    const std::string name = make("x");
    std::thread keeper([&] { files_.keep(name); });
    EXPECT_EQ(read(name), "x");
    files_.drop(name);
    keeper.join();
    EXPECT_EQ(read(name), "not there");
  }
}

TEST_F(FilesTest, TheReserveOfTheDiskIsNotForFiles) {
  files_.require_room(1 << 30);
  base::DiskSpace space("/tmp", 8, [](const std::string&) { return std::optional<base::DiskSpace::Disk>({100, 1000}); });
  files_.set_space(space);
  files_.require_room(92);
  EXPECT_THROW(files_.require_room(93), std::system_error);
}

TEST_F(FilesTest, ManyThreadsCanSyncNamesAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) make("x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files_in("incoming"), 80u);
}

}  // namespace
}  // namespace objects
