// SPDX-License-Identifier: Apache-2.0
#include "wire/cbor.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/bytes.h"
#include "wire/operation.h"
#include "wire/test_shapes.h"

namespace wire {
namespace {

using test::Everything;

Everything read_cbor(std::string_view hex) {
  Everything value;
  read_cbor(type_of<Everything>(), *base::from_hex(hex), &value);
  return value;
}

bool rejects_cbor(std::string_view hex) {
  try {
    read_cbor(hex);
  } catch (const ApiError& error) {
    return error.code() == "SerializationException";
  }
  return false;
}

constexpr const char* kReal = "a1645265616c";  // {"Real": ...
constexpr const char* kBig = "a163426967";     // {"Big": ...

TEST(Cbor, ReadsBackWhatItWrote) {
  Everything value;
  value.Name = "n";
  value.Flag = true;
  value.Small = -1;
  value.Big = std::numeric_limits<std::int64_t>::min();
  value.Single = 1.5f;
  value.Real = 0.1;
  value.When = base::from_millis(1793871010250);
  value.Bytes = base::Blob{std::string(300, '\xFF')};
  value.Words = std::vector<std::string>(70'000, "w");
  value.Grid = {{{1, 2}, {}}};
  value.Tags = {{{"k", "v"}}};
  value.Leaves = {{{"x", {"id", 7}}}};
  value.Self = Everything{.Name = "inner"};
  std::string bytes;
  write_cbor(type_of<Everything>(), &value, bytes);
  Everything back;
  EXPECT_THAT(read_cbor(type_of<Everything>(), bytes, &back), testing::IsEmpty());
  EXPECT_EQ(back, value);
}

TEST(Cbor, FloatsOfAllThreeWidthsAndIntegersAreNumbers) {
  auto real = [](const char* item) { return *read_cbor(std::string(kReal) + item).Real; };
  EXPECT_EQ(real("f93e00"), 1.5);
  EXPECT_EQ(real("f90001"), std::ldexp(1, -24));
  EXPECT_EQ(real("f9fc00"), -INFINITY);
  EXPECT_TRUE(std::isnan(real("f97e00")));
  EXPECT_EQ(real("fa3fc00000"), 1.5);
  EXPECT_EQ(real("fb3ff8000000000000"), 1.5);
  EXPECT_EQ(real("1864"), 100);
  EXPECT_EQ(real("3863"), -100);
}

TEST(Cbor, IntegersMustBeWholeAndInRange) {
  auto big = [](const char* item) { return *read_cbor(std::string(kBig) + item).Big; };
  EXPECT_EQ(big("1b7fffffffffffffff"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(big("3b7fffffffffffffff"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(big("fb4014000000000000"), 5);
  for (const char* item : {"1b8000000000000000", "3b8000000000000000", "fb4016000000000000", "f97c00", "f5", "6131"}) {
    EXPECT_TRUE(rejects_cbor(std::string(kBig) + item)) << item;
  }
}

TEST(Cbor, AcceptsIndefiniteLengthsAndChunks) {
  auto value = read_cbor("bf644e616d657f6161626263ff65576f7264739f61786179ffff");
  EXPECT_EQ(value.Name, "abc");
  EXPECT_EQ(value.Words, (std::vector<std::string>{"x", "y"}));
}

TEST(Cbor, TimesAreTagged) {
  EXPECT_EQ(read_cbor("a1645768656ec11a6aec4ca2").When, base::from_millis(1793871010000));
  EXPECT_EQ(read_cbor("a1645768656ec1fb41dabb1328900000").When, base::from_millis(1793871010250));
  EXPECT_TRUE(rejects_cbor("a1645768656ec21a6aec4ca2"));
}

TEST(Cbor, IgnoresUnknownMembersAndNulls) {
  auto value = read_cbor("a36178a2617901617a82c1018163616263644e616d65616e64466c6167f6");
  EXPECT_EQ(value.Name, "n");
  EXPECT_FALSE(value.Flag);
}

TEST(Cbor, EmptyInputIsAnEmptyStruct) { EXPECT_EQ(read_cbor(""), Everything{}); }

TEST(Cbor, RejectsMalformedBytes) {
  for (const char* hex :
       {"a1", "a164", "bf", "a0a0", "80", "a1645265616c", "a1644e616d6562c328", "a1644e616d657f41 61ff",
        "a1644e616d65fb", "a1644e616d657bffffffffffffffff", "bbffffffffffffffff", "1c", "ff", "a1644e616d655f4161ff",
        "a1644e616d657f7f6161ffff", "a101f6"}) {
    std::string compact;
    for (char c : std::string_view(hex)) {
      if (c != ' ') compact += c;
    }
    EXPECT_TRUE(rejects_cbor(compact)) << hex;
  }
}

TEST(Cbor, DepthIsBounded) {
  std::string deep = "a16178";
  for (int i = 0; i < 100'000; ++i) deep += "81";
  EXPECT_TRUE(rejects_cbor(deep + "00"));
  std::string tags = "a16178";
  for (int i = 0; i < 100'000; ++i) tags += "c1";
  EXPECT_TRUE(rejects_cbor(tags + "00"));
}

TEST(CborProtocol, ResponsesNameTheProtocol) {
  Everything value{.Name = "n"};
  Operation operation{"Do", nullptr, &type_of<Everything>()};
  auto response = encode_response(Protocol::Cbor, {}, operation, &value, "id");
  EXPECT_EQ(response.headers.get("smithy-protocol"), "rpc-v2-cbor");
  EXPECT_EQ(response.headers.get("Content-Type"), "application/cbor");
  EXPECT_EQ(base::to_hex(response.body), "a1644e616d65616e");
}

}  // namespace
}  // namespace wire
