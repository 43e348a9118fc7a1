// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_row.h"

#include <random>

#include "services/s3/object_fixture.h"
#include "services/s3/objects/copy_object.h"
#include "services/s3/objects/delete_objects.h"

namespace services::s3 {
namespace {

using Objects = ObjectTest;

TEST_F(Objects, NumbersAreTextAndBack) {
  for (Numbered numbered : {Numbered{0, 0}, Numbered{1, -1}, Numbered{1887436800000000000, 77}}) {
    const std::string text = numbered_text(numbered);
    EXPECT_EQ(text.size(), 32u);
    auto back = parse_numbered(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, numbered.id);
    EXPECT_EQ(back->tag, numbered.tag);
  }
  for (const char* text : {"", "null", "0000000000000000000000000000000", "0000000000000000000000000000000G",
                           "000000000000000000000000000000000"}) {
    EXPECT_FALSE(parse_numbered(text)) << text;
  }
}

// A clock that stands still, or goes back, does not make a newer version older.
TEST_F(Objects, IdsGrowWhateverTheClockDoes) {
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    if (i == 5) now_ -= std::chrono::hours(1);
    const std::int64_t id = put("k").id;
    EXPECT_GT(id, last);
    last = id;
  }
}

// In Suspended buckets the version "null" is replaced wherever it stands.
TEST_F(Objects, TheNullVersionIsOneOfAKind) {
  put_bytes("k", "before");
  version("Enabled");
  const std::string one = *put_bytes("k", "one").VersionId;
  EXPECT_EQ(get_version("k", "null"), "before");
  version("Suspended");
  EXPECT_EQ(put_bytes("k", "after").VersionId, std::nullopt);
  EXPECT_EQ(head("k").VersionId, "null");
  EXPECT_EQ(get_version("k", "null"), "after");
  EXPECT_EQ(get_version("k", one), "one");
  auto deleted = run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(deleted.VersionId, "null");
  EXPECT_EQ(deleted.DeleteMarker, true);
  EXPECT_EQ(error_of([&] { get_version("k", "null"); }), "MethodNotAllowed");
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 2);
}

// What S3 promises of versions, in memory: each key a stack.
struct Model {
  struct Version {
    std::string id;
    bool marker = false;
    std::string bytes;
  };
  using Stack = std::vector<Version>;  // the latest is the last
  std::map<std::string, Stack> keys;
  std::string versioning;

  void push(const std::string& key, Version version) {
    Stack& stack = keys[key];
    if (versioning != "Enabled") {
      std::erase_if(stack, [](const Version& other) { return other.id == "null"; });
    }
    stack.push_back(std::move(version));
  }
};

class Versions : public ObjectTest, public testing::WithParamInterface<unsigned> {
 protected:
  void act() {
    const std::string key = "key" + std::to_string(random_() % 3);
    Model::Stack& stack = model_.keys[key];
    switch (random_() % 8) {
      case 0: return set_versioning();
      case 1:
      case 2: {
        auto deleted = run(&delete_object, {.Bucket = "bucket", .Key = key});
        if (model_.versioning.empty()) {
          stack.clear();
        } else {
          model_.push(key, {*deleted.VersionId, true, ""});
        }
        return;
      }
      case 3: {
        if (stack.empty()) return;
        const std::size_t which = random_() % stack.size();
        run(&delete_object, {.Bucket = "bucket", .Key = key, .VersionId = stack[which].id});
        stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(which));
        return;
      }
      case 4: {  // a copy of any version to another key
        if (stack.empty()) return;
        const Model::Version source = stack[random_() % stack.size()];
        if (source.marker) return;
        const std::string to = "key" + std::to_string(random_() % 3);
        shape::CopyObjectRequest request{.Bucket = "bucket", .CopySource = "bucket/" + key + "?versionId=" + source.id,
                                         .Key = to};
        auto copied = send(&prepare_copy_object, &copy_object, request);
        model_.push(to, {copied.VersionId.value_or("null"), false, source.bytes});
        return;
      }
      default: {
        const std::string bytes((random_() % 2) * kInlineBytes + random_() % 100, static_cast<char>('a' + random_() % 26));
        auto output = put_bytes(key, bytes);
        model_.push(key, {output.VersionId.value_or("null"), false, bytes});
      }
    }
  }

  void set_versioning() {
    const std::string status = random_() % 2 ? "Enabled" : "Suspended";
    if (model_.versioning.empty() && random_() % 4) return;  // stays without for a while
    version(status);
    model_.versioning = status;
  }

  void compare() {
    std::int64_t total = 0;
    for (const auto& [key, stack] : model_.keys) {
      total += std::ssize(stack);
      for (const Model::Version& version : stack) {
        if (version.marker) {
          EXPECT_EQ(error_of([&] { get_version(key, version.id); }), "MethodNotAllowed");
        } else {
          EXPECT_EQ(get_version(key, version.id), version.bytes);
        }
      }
      if (stack.empty() || stack.back().marker) {
        EXPECT_EQ(error_of([&] { get(key); }), "NoSuchKey");
        EXPECT_EQ(header("x-amz-delete-marker"), stack.empty() ? "" : "true");
      } else {
        EXPECT_EQ(get(key).bytes, stack.back().bytes);
      }
    }
    EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), total);
    EXPECT_EQ(count("SELECT count(*) FROM (SELECT 1 FROM s3_objects GROUP BY key HAVING sum(latest) <> 1) AS wrong"), 0);
    check_blobs();
  }

  std::mt19937 random_{GetParam()};
  Model model_;
};

TEST_P(Versions, AreThoseOfTheModel) {
  for (int step = 0; step < 60 && !HasFailure(); ++step) {
    act();
    compare();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Versions, testing::Range(1u, 13u));

}  // namespace
}  // namespace services::s3
