// SPDX-License-Identifier: Apache-2.0
#include "ocr/languages.h"

#include <gmock/gmock.h>

namespace ocr {
namespace {

using testing::ElementsAre;

TEST(Languages, AreJoinedByPlus) {
  EXPECT_THAT(*parse_languages("eng"), ElementsAre("eng"));
  EXPECT_THAT(*parse_languages("eng+deu+chi_sim"), ElementsAre("eng", "deu", "chi_sim"));
  EXPECT_THAT(*parse_languages("script/Latin"), ElementsAre("script/Latin"));
}

TEST(Languages, CannotLeaveTheFolderOfModels) {
  for (const char* text : {"", "+", "eng+", "+eng", "../eng", "/etc/passwd", "script/../eng", "script/", "en g", "e\ng", "a.b", "script/a/b"}) {
    EXPECT_FALSE(parse_languages(text)) << text;
  }
}

TEST(Languages, HaveABound) {
  EXPECT_TRUE(parse_languages("a+b+c+d+e+f+g+h"));
  EXPECT_FALSE(parse_languages("a+b+c+d+e+f+g+h+i"));
  EXPECT_FALSE(parse_languages(std::string(kMaxLanguageLength + 1, 'a')));
}

TEST(Languages, NameTheirDebianPackage) {
  EXPECT_EQ(debian_package("deu"), "tesseract-ocr-deu");
  EXPECT_EQ(debian_package("chi_sim_vert"), "tesseract-ocr-chi-sim-vert");
  EXPECT_EQ(debian_package("script/Latin"), "tesseract-ocr-script-latn");
}

}  // namespace
}  // namespace ocr
