// SPDX-License-Identifier: Apache-2.0
#include "services/s3/list_request.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "wire/error.h"

namespace services::s3 {
namespace {

TEST(ListRequest, ATokenReturnsWhatItWasMadeOf) {
  for (const char* after : {"a", "folder/", "\xc3\xa9 + %"}) EXPECT_EQ(parse_page_token(page_token(after)), after);
}

TEST(ListRequest, AnonymousCallersDoNotSeeTheOwner) {
  const Bucket bucket{.account = "111111111111"};
  EXPECT_FALSE(owner_for(Caller{}, bucket));
  EXPECT_EQ(owner_for(Caller{.account = "222222222222"}, bucket)->ID, canonical_id("111111111111"));
}

TEST(ListRequest, AForgedTokenIsRejected) {
  std::string changed = page_token("some/key");
  changed[0] = changed[0] == 'A' ? 'B' : 'A';
  for (const std::string& token : {std::string(), std::string("nonsense"), std::string("not base64!"),
                                   base::to_base64("some/key"), base::to_base64(""), changed}) {
    try {
      parse_page_token(token);
      ADD_FAILURE() << token;
    } catch (const wire::ApiError& error) {
      EXPECT_EQ(error.message(), "The continuation token provided is incorrect");
      EXPECT_EQ(error.details().size(), 1u);  // only the name; the error omits the value
    }
  }
}

}  // namespace
}  // namespace services::s3
