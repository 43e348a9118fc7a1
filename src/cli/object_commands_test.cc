// SPDX-License-Identifier: Apache-2.0
// stoker object
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "cli/fake_server.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class ObjectCommands : public FakeServer {
 protected:
  ObjectCommands() { fs::create_directories(files_); }
  ~ObjectCommands() override { fs::remove_all(files_); }

  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  template <class Command>
  std::string error_of(Command command) {
    try {
      command();
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  const std::string files_ = testing::TempDir() + "objects_" + base::random_uuid();
  std::istringstream in_;
  std::ostringstream out_;
};

TEST_F(ObjectCommands, WithoutANameBucketsAreListed) {
  reply("/", "<ListAllMyBucketsResult><Buckets><Bucket><Name>a</Name><CreationDate>2026-11-19T08:00:00.000Z</CreationDate>"
             "</Bucket></Buckets><ContinuationToken>t/1</ContinuationToken></ListAllMyBucketsResult>");
  reply("/", "<ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>");
  EXPECT_EQ(object_list(options_, "", false, out_), 0);
  EXPECT_EQ(out_.str(), "BUCKET  CREATED\na       2026-11-19T08:00:00Z\nb       -\n");
  EXPECT_THAT(targets("/"), ElementsAre("GET /?max-buckets=1000", "GET /?max-buckets=1000&continuation-token=t%2F1"));
}

TEST_F(ObjectCommands, AListHasFoldersAndObjectsOfAllPages) {
  reply("/photos", "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>n</NextContinuationToken>"
                   "<CommonPrefixes><Prefix>2026/11/</Prefix></CommonPrefixes></ListBucketResult>");
  reply("/photos", "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>2026/a b.jpg</Key><Size>12</Size>"
                   "<LastModified>2026-11-19T08:00:00.000Z</LastModified></Contents></ListBucketResult>");
  EXPECT_EQ(object_list(options_, "s3://photos/2026/", false, out_), 0);
  EXPECT_EQ(out_.str(),
            "SIZE  CHANGED               KEY\n"
            "-     -                     2026/11/\n"
            "12    2026-11-19T08:00:00Z  2026/a b.jpg\n");
  EXPECT_THAT(targets("/photos"), ElementsAre("GET /photos?list-type=2&prefix=2026%2F&delimiter=%2F",
                                              "GET /photos?list-type=2&prefix=2026%2F&delimiter=%2F&continuation-token=n"));
}

TEST_F(ObjectCommands, ARecursiveListHasNoFolders) {
  reply("/photos", "<ListBucketResult/>");
  EXPECT_EQ(object_list(options_, "photos", true, out_), 0);
  EXPECT_EQ(out_.str(), "no objects in photos\n");
  EXPECT_THAT(targets("/photos"), ElementsAre("GET /photos?list-type=2&prefix="));
}

TEST_F(ObjectCommands, AnObjectIsWrittenToAFileOfItsName) {
  reply_in_pieces("/photos/2026/a.jpg", {"one", "two"});
  EXPECT_EQ(object_get(options_, "photos/2026/a.jpg", files_, out_), 0) << "into a folder";
  EXPECT_EQ(out_.str(), files_ + "/a.jpg\n");
  EXPECT_EQ(content(files_ + "/a.jpg"), "onetwo");
  EXPECT_EQ(object_get(options_, "s3://photos/2026/a.jpg", files_ + "/b", out_), 0);
  EXPECT_EQ(content(files_ + "/b"), "onetwo");
  out_.str("");
  EXPECT_EQ(object_get(options_, "photos/2026/a.jpg", "-", out_), 0);
  EXPECT_EQ(out_.str(), "onetwo");
}

TEST_F(ObjectCommands, AFailedDownloadLeavesTheFileAndNoPartOfIt) {
  std::ofstream(files_ + "/a") << "before";
  reply("/photos/a", "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>", 404);
  EXPECT_EQ(error_of([&] { object_get(options_, "photos/a", files_, out_); }), "NoSuchKey: The specified key does not exist.");
  reply_in_pieces("/photos/broken", {"one"}, true);
  EXPECT_THAT(error_of([&] { object_get(options_, "photos/broken", files_ + "/a", out_); }), HasSubstr("does not respond"));
  EXPECT_EQ(content(files_ + "/a"), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(files_), fs::directory_iterator()), 1);
}

TEST_F(ObjectCommands, AFileIsPutUnderItsNameOrTheGivenKey) {
  std::ofstream(files_ + "/a b.txt") << "text";
  reply("/photos/new/a%20b.txt", "");
  EXPECT_EQ(object_put(options_, files_ + "/a b.txt", "photos/new/", in_, out_), 0);
  EXPECT_EQ(out_.str(), "photos/new/a b.txt\n");
  EXPECT_THAT(targets("/photos/new/a%20b.txt"), ElementsAre("PUT /photos/new/a%20b.txt"));
  EXPECT_THAT(requests("/photos/new/a%20b.txt"), ElementsAre("text"));
  in_.str("piped");
  reply("/photos/key", "");
  EXPECT_EQ(object_put(options_, "-", "s3://photos/key", in_, out_), 0);
  EXPECT_THAT(requests("/photos/key"), ElementsAre("piped"));
}

TEST_F(ObjectCommands, ARemovedObjectIsNamed) {
  reply("/photos/key", "", 204);
  EXPECT_EQ(object_remove(options_, "photos/key", out_), 0);
  EXPECT_EQ(out_.str(), "removed photos/key\n");
  EXPECT_THAT(targets("/photos/key"), ElementsAre("DELETE /photos/key"));
}

TEST_F(ObjectCommands, InvalidNamesAndFilesAreRejectedBeforeARequest) {
  EXPECT_THROW(object_remove(options_, "photos", out_), UsageError);
  EXPECT_THROW(object_get(options_, "photos/", "-", out_), UsageError);
  EXPECT_THROW(object_put(options_, "-", "photos/", in_, out_), UsageError);
  EXPECT_EQ(error_of([&] { object_put(options_, files_, "photos/key", in_, out_); }), files_ + " cannot be read");
  EXPECT_TRUE(heads().empty());
}

}  // namespace
}  // namespace cli
