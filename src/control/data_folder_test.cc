// SPDX-License-Identifier: Apache-2.0
#include "control/data_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"

namespace control {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  DataFolderTest() { std::filesystem::create_directories(folder_); }
  ~DataFolderTest() override { std::filesystem::remove_all(folder_); }

  std::string read(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string folder_ = testing::TempDir() + "data_folder_test_" + base::random_uuid();
};

TEST_F(DataFolderTest, CredentialsHaveTheFormatOfSharedCredentialsFiles) {
  write_credentials(folder_, {.id = "AKIA1", .secret = "s3cret", .account = "111122223333"});
  EXPECT_EQ(read("credentials"), "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s3cret\n");
}

TEST_F(DataFolderTest, AChangedAddressReplacesTheOldOneAndLeavesNoTemporaryFile) {
  write_endpoint(folder_, "http://127.0.0.1:1");
  write_endpoint(folder_, "http://127.0.0.1:2");
  EXPECT_EQ(read("endpoint"), "http://127.0.0.1:2\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(DataFolderTest, AFolderThatIsMissingIsAnErrorThatNamesTheFile) {
  try {
    write_credentials(folder_ + "/missing", {.id = "AKIA1", .secret = "s3cret", .account = "111122223333"});
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("missing/credentials"), std::string::npos) << error.what();
  }
}

std::string problem_of(const std::string& folder, bool embedded = true) {
  try {
    check_data_folder(folder, embedded);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_F(DataFolderTest, ANewOrEmptyFolderIsFine) {
  EXPECT_EQ(problem_of(folder_ + "/new"), "");
  EXPECT_EQ(problem_of(folder_), "");
}

TEST_F(DataFolderTest, DataWithoutADatabaseIsALoss) {
  std::ofstream(folder_ + "/credentials") << "x";
  EXPECT_NE(problem_of(folder_).find("has credentials, but its database stoker.db is missing"), std::string::npos);
  EXPECT_EQ(problem_of(folder_, false), "") << "the database is elsewhere";
  std::ofstream(folder_ + "/stoker.db");
  EXPECT_NE(problem_of(folder_).find("is empty"), std::string::npos);
  std::ofstream(folder_ + "/stoker.db") << "x";
  EXPECT_EQ(problem_of(folder_), "");
  std::filesystem::remove(folder_ + "/credentials");
  std::filesystem::remove(folder_ + "/stoker.db");
  std::filesystem::create_directories(folder_ + "/objects/incoming");
  EXPECT_EQ(problem_of(folder_), "") << "there is no object";
  std::ofstream(folder_ + "/objects/a") << "x";
  EXPECT_NE(problem_of(folder_).find("has objects, but"), std::string::npos);
}

TEST_F(DataFolderTest, ALogThatIsGoneAfterACrashIsALoss) {
  std::ofstream(folder_ + "/stoker.db") << "x";
  mark_running(folder_);
  EXPECT_NE(problem_of(folder_).find("stoker.db-wal is missing"), std::string::npos);
  std::ofstream(folder_ + "/stoker.db-wal") << std::string(31, 'x');
  EXPECT_NE(problem_of(folder_).find("stoker.db-wal is cut off"), std::string::npos);
  std::ofstream(folder_ + "/stoker.db-wal") << std::string(32, 'x');
  EXPECT_EQ(problem_of(folder_), "");
  std::ofstream(folder_ + "/stoker.db-wal");
  EXPECT_NE(problem_of(folder_).find("stoker.db-wal is cut off"), std::string::npos);
  EXPECT_EQ(problem_of(folder_, false), "") << "the database is elsewhere";
  std::filesystem::remove(folder_ + "/stoker.db-wal");
  unmark_running(folder_);
  EXPECT_EQ(problem_of(folder_), "");
}

TEST_F(DataFolderTest, ANewDatabaseElsewhereIsNotThatOfAFolderWithData) {
  EXPECT_NO_THROW(check_new_database(folder_));
  EXPECT_NO_THROW(check_new_database(folder_ + "/new"));
  std::ofstream(folder_ + "/credentials") << "x";
  try {
    check_new_database(folder_);
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("has credentials, but the database of --store is new"), std::string::npos);
  }
}

TEST_F(DataFolderTest, AFolderThatEverybodyMayWriteToIsRefused) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_NE(problem_of(folder_).find("chmod o-w"), std::string::npos);
}

}  // namespace
}  // namespace control
