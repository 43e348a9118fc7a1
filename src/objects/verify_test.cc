// SPDX-License-Identifier: Apache-2.0
#include "objects/verify.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/hash.h"
#include "objects/test_folder.h"

namespace objects {
namespace {

namespace asio = boost::asio;

class VerifyTest : public ObjectsTest {
 protected:
  std::string make(const std::string& text) {
    const std::string name = Files::new_name();
    files_.create(name).write_all(text);
    files_.keep(name);
    return name;
  }
  std::string path(const std::string& name) const {
    return folder_.path + "/objects/" + name.substr(0, 2) + "/" + name;
  }
  asio::awaitable<void> check(std::string name, Expected expected) {
    verdict_ = co_await verify_file(files_, *disk_, std::move(name), std::move(expected));
  }
  Verdict verify(const std::string& name, const std::string& text) {
    run(check(name, {text.size(), {{base::Checksum::Md5, base::md5(text)}, {base::Checksum::Sha1, base::sha1(text)}}}));
    return verdict_;
  }

  Verdict verdict_;
};

// Longer than one read, and than one slice.
const std::string& long_text() {
  static const std::string text = [] {
    std::string made;
    while (made.size() < 17'000'000) made += "some bytes, number " + std::to_string(made.size());
    return made;
  }();
  return text;
}

TEST_F(VerifyTest, AnIntactFileIsReportedAsIntact) {
  EXPECT_EQ(verify(make(long_text()), long_text()).kind, Verdict::Whole);
  EXPECT_EQ(verify(make(""), "").kind, Verdict::Whole);
}

TEST_F(VerifyTest, AFlippedBitIsFoundAnywhere) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{300'000}, long_text().size() - 1}) {
    std::string flipped = long_text();
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    const Verdict verdict = verify(make(flipped), long_text());
    EXPECT_EQ(verdict.kind, Verdict::Damaged);
    EXPECT_EQ(verdict.detail.substr(0, 7), "MD5 is ");
  }
}

TEST_F(VerifyTest, AWrongLengthIsDistinguishedFromDamage) {
  const std::string name = make("0123456789");
  ASSERT_EQ(::truncate(path(name).c_str(), 4), 0);
  EXPECT_EQ(verify(name, "0123456789").kind, Verdict::Short);
  EXPECT_EQ(verdict_.detail, "4 bytes where there were 10");
  EXPECT_EQ(verify(name, "012").kind, Verdict::Long);
}

TEST_F(VerifyTest, AnAbsentFileIsReportedAsMissing) {
  EXPECT_EQ(verify(Files::new_name(), "x").kind, Verdict::Missing);
}

TEST_F(VerifyTest, AnUnreadableFileDoesNotEndTheWalk) {
  const std::string name = make("x");
  ASSERT_EQ(::unlink(path(name).c_str()), 0);
  ASSERT_EQ(::symlink(name.c_str(), path(name).c_str()), 0);  // to itself
  EXPECT_EQ(verify(name, "x").kind, Verdict::Unreadable);
}

TEST_F(VerifyTest, BytesInMemoryAreVerifiedToo) {
  const Expected expected{3, {{base::Checksum::Md5, base::md5("abc")}}};
  EXPECT_EQ(verify_bytes("abc", expected).kind, Verdict::Whole);
  EXPECT_EQ(verify_bytes("abd", expected).kind, Verdict::Damaged);
  EXPECT_EQ(verify_bytes("ab", expected).kind, Verdict::Short);
}

}  // namespace
}  // namespace objects
