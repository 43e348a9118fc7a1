// SPDX-License-Identifier: Apache-2.0
#include "cli/incoming_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/random.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class Incoming : public testing::Test {
 protected:
  Incoming() {
    fs::create_directories(source_);
    fs::create_directories(target_);
  }
  ~Incoming() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // The archive of a hostile container may have any names, in any order.
  std::string archive(const std::string& arguments) {
    const std::string file = root_ / "archive.tar";
    const std::string command = "tar -cPf " + file + " -C " + source_.string() + " " + arguments;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read(file);
  }
  // Returns tar's status.
  static int receive(IncomingFiles& files, const std::string& bytes) {
    EXPECT_EQ(::write(files.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return files.finish();
  }
  static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("incoming_" + base::random_uuid());
  const fs::path source_ = root_ / "source", target_ = root_ / "target";
};

TEST_F(Incoming, OnlyTheRequestedFileLeavesTheFreshFolder) {
  write(source_ / "model.pt", "weights");
  write(source_ / ".bashrc", "hostile");
  write(target_ / ".bashrc", "own");
  {
    IncomingFiles files(target_);
    EXPECT_EQ(receive(files, archive("model.pt .bashrc")), 0);
    files.move("model.pt", target_ / "model.pt");
  }
  EXPECT_THAT(names_in(target_), UnorderedElementsAre("model.pt", ".bashrc"));
  EXPECT_EQ(read(target_ / "model.pt"), "weights");
  EXPECT_EQ(read(target_ / ".bashrc"), "own");
}

TEST_F(Incoming, ANameWithDotsOrALinkDoesNotLeadOutOfTheFolder) {
  write(source_ / "evil", "hostile");
  fs::create_directory_symlink(root_, source_ / "way");
  const std::vector<std::string> names{"../x", "../../x", root_ / "x", "way/x"};
  for (const std::string& name : names) {
    IncomingFiles files(target_);
    receive(files, archive("way --transform='s,^evil$," + name + ",' evil"));
    EXPECT_FALSE(fs::exists(root_ / "x")) << name;
    EXPECT_FALSE(fs::exists(target_ / "x")) << name;
  }
  EXPECT_THAT(names_in(target_), UnorderedElementsAre());
}

TEST_F(Incoming, ALinkThatIsThereIsReplacedAndNotFollowed) {
  const fs::path keys = root_ / "ssh";
  write(keys / "authorized_keys", "own");
  fs::create_directory_symlink(keys, target_ / "link");
  fs::create_symlink(keys / "authorized_keys", target_ / "file");
  write(source_ / "link/authorized_keys", "hostile");
  write(source_ / "file", "hostile");
  {
    IncomingFiles files(target_);
    EXPECT_EQ(receive(files, archive("./link/authorized_keys ./file")), 0) << "without an entry for the folder";
    files.move(".", target_);
  }
  EXPECT_EQ(read(keys / "authorized_keys"), "own");
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(target_ / "link")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target_ / "file")));
}

TEST_F(Incoming, FoldersAreMergedAndFilesReplaced) {
  write(source_ / "data/a", "new");
  write(source_ / "data/deep/b", "new");
  write(source_ / "data/sealed/c", "new");
  fs::permissions(source_ / "data/sealed", fs::perms::owner_read | fs::perms::owner_exec);
  write(target_ / "data/a", "old");
  write(target_ / "data/kept", "old");
  {
    IncomingFiles files(target_);
    EXPECT_EQ(receive(files, archive("data")), 0);
    files.move("data", target_ / "data");
  }
  EXPECT_THAT(names_in(target_), UnorderedElementsAre("data"));
  EXPECT_THAT(names_in(target_ / "data"), UnorderedElementsAre("a", "kept", "deep", "sealed"));
  EXPECT_EQ(read(target_ / "data/a"), "new");
  EXPECT_EQ(fs::status(target_ / "data/sealed").permissions(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(target_ / "data/sealed", fs::perms::owner_all);
  fs::permissions(source_ / "data/sealed", fs::perms::owner_all);
}

TEST_F(Incoming, AFolderIsNotReplacedByAFileAndAMissingNameIsReported) {
  write(source_ / "data", "a file");
  fs::create_directory(target_ / "data");
  IncomingFiles files(target_);
  EXPECT_EQ(receive(files, archive("data")), 0);
  EXPECT_THROW(files.move("data", target_ / "data"), std::runtime_error);
  EXPECT_THROW(files.move("model.pt", target_ / "model.pt"), std::runtime_error);
  EXPECT_TRUE(fs::is_directory(target_ / "data"));
}

}  // namespace
}  // namespace cli
