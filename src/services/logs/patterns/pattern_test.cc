// SPDX-License-Identifier: Apache-2.0
// The examples of Amazon's documentation and of recorded answers, row by row.
#include "services/logs/patterns/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace services::logs {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string error_of(std::string_view text) {
  auto pattern = Pattern::parse(text);
  return pattern ? "" : pattern.error();
}

Pattern parsed(std::string_view text) {
  auto pattern = Pattern::parse(text);
  EXPECT_TRUE(pattern) << text << ": " << (pattern ? "" : pattern.error());
  return pattern ? std::move(*pattern) : std::move(*Pattern::parse(""));
}

struct Case {
  std::string_view pattern, message;
  bool matches;
};

void check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    const Pattern pattern = parsed(one.pattern);
    EXPECT_EQ(pattern.matches(one.message), one.matches) << one.pattern << " on " << one.message;
    EXPECT_EQ(pattern.extract(one.message).has_value(), one.matches) << one.pattern << " on " << one.message;
    if (!one.matches) continue;
    EXPECT_TRUE(pattern.may_match(one.message)) << one.pattern << " on " << one.message;
    EXPECT_NE(one.message.find(pattern.required_literal()), std::string_view::npos) << one.pattern;
  }
}

TEST(TextPattern, TermsAreCaseSensitiveSubstrings) {
  check({
      {"", "anything", true},
      {" ", "anything", true},
      {"\" \"", "anything", true},
      {"ERROR", "[ERROR 400] BAD REQUEST", true},
      {"ERROR", "MYERRORS", true},
      {"ERROR", "error", false},
      {"Exception", "[ERROR] Caught InvalidQueryException", true},
      {"ERROR ARGUMENTS", "[ERROR 419] MISSING ARGUMENTS", true},
      {"ERROR ARGUMENTS", "ARGUMENTS ERROR", true},
      {"ERROR ARGUMENTS", "[ERROR 401] UNAUTHORIZED REQUEST", false},
      {"\"INTERNAL SERVER ERROR\"", "[ERROR 500] INTERNAL SERVER ERROR", true},
      {"\"INTERNAL SERVER ERROR\"", "INTERNAL ERROR SERVER", false},
      {R"("say \"hi\" \\o/")", R"(they say "hi" \o/)", true},
  });
}

TEST(TextPattern, SignsMakeTermsOptionalOrForbidden) {
  check({
      {"?ERROR ?ARGUMENTS", "[ERROR 400] BAD REQUEST", true},
      {"?ERROR ?ARGUMENTS", "MISSING ARGUMENTS", true},
      {"?ERROR ?ARGUMENTS", "INFO", false},
      {"?ERROR REQUEST", "INFO REQUEST", true},
      {"?ERROR REQUEST", "ERROR", false},
      {"ERROR -ARGUMENTS", "[ERROR 400] BAD REQUEST", true},
      {"ERROR -ARGUMENTS", "[ERROR 419] MISSING ARGUMENTS", false},
      {"-DEBUG", "INFO x", true},
      {"-DEBUG", "DEBUG x", false},
      {"-\"not this\"", "but not this", false},
      {"?%4\\d\\d% ?warn", "HTTP 404", true},
  });
}

TEST(TextPattern, RegularExpressionsAreUnanchored) {
  check({
      {"%AUTHORIZED%", "UNAUTHORIZED", true},
      {"%AUTHORIZED%", "AUTHENTICATED", false},
      {"%^ERROR%", "an ERROR", false},
      {"%^ERROR%", "ERROR here", true},
      {R"(%[0-9]{3}%)", "code 404", true},
      {R"(%\d{,2}x%)", "9x", true},
      {R"(%a{2,}b%)", "caab", true},
      {R"(%a{2,}b%)", "cab", false},
      {R"(%x\x41y%)", "xAy", true},
      {R"(%\w+\s\W%)", "word -", true},
      {R"(%10\.10\.0\.1%)", "from 10.10.0.1", true},
      {R"(%10\.10\.0\.1%)", "from 10x10.0.1", false},
      {"%cat|dog%", "hotdog", true},
      {"%colou?r%", "color", true},
  });
}

TEST(TextPattern, InvalidOnesAreRejectedInAmazonsWords) {
  for (const char* bad : {":", ",", "(", "[", "\\", "`", "*"}) {
    EXPECT_EQ(error_of(std::string("foo") + bad), std::string("Invalid character(s) in term '") + bad + "'");
  }
  EXPECT_EQ(error_of(R"("a": "b")"), "Invalid metric filter pattern");
  EXPECT_EQ(error_of(R"("open)"), "Invalid metric filter pattern");
  EXPECT_EQ(error_of("%open"), "Invalid metric filter pattern");
  EXPECT_EQ(error_of(" {$.f IS TRUE} "), "Invalid metric filter pattern");
  EXPECT_EQ(error_of("{$.f IS TRUE} "), "Invalid metric filter pattern");
  EXPECT_EQ(error_of("\f "), "Invalid character(s) in term '\f'");
  EXPECT_EQ(error_of("a ?"), "Invalid character(s) in term '?'");
  EXPECT_EQ(error_of("%(a)%"), "Invalid character(s) in term '%(a)%'");
  EXPECT_EQ(error_of("%a!%"), "Invalid character(s) in term '%a!%'");
  EXPECT_EQ(error_of("%\xC3\xA4%"), "Invalid character(s) in term '%\xC3\xA4%'");
  EXPECT_EQ(error_of("%\\b%"), "Invalid character(s) in term '%\\b%'");
  EXPECT_EQ(error_of("%a**%"), "Invalid metric filter pattern");
  EXPECT_EQ(error_of("%[%"), "Invalid metric filter pattern");
  EXPECT_EQ(error_of(std::string(1025, 'x')), "Invalid metric filter pattern");
  EXPECT_EQ(error_of(std::string(1024, 'x')), "");
}

TEST(TextPattern, NamesBytesThatEveryMatchContains) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"ERROR x", "ERROR"}, {"-ERROR", ""},        {"?ERROR ?x", ""},      {"?ERROR", "ERROR"},
      {"%abc?d%", "ab"},    {"%abc|defg%", ""},    {"%[abc]de*f%", "d"},   {"%a{0}bcd%", "bcd"},
      {"%[]abcd]e%", "e"},  {"%[^]abcd]e%", "e"},
      {"\"a b\" x", "a b"}, {R"(%a\.bcd%)", "bcd"}, {"[a=ERROR, b]", "ERROR"}, {"[a=404, b]", ""},
      {"[a=x1 || a=x2, b]", ""},
  };
  for (const auto& [text, literal] : cases) EXPECT_EQ(parsed(text).required_literal(), literal) << text;
}

constexpr char kEvent[] = R"({"eventType":"UpdateTrail","sourceIPAddress":"111.111.111.111","arrayKey":["value","another value"],
 "objectList":[{"name":"a","id":1},{"name":"b","id":2}],"SomeObject":null,"IsTrue":true,"IsFalse":false,"n":123,"f":12.0,
 "empty":{},"coordinates":[[0,1,2],[4,5]],"users":[{"email":"jo@x.com"}],"cluster.name":"c","detail-type":"d","s":"123",
 "nested":{"a":{"b":"deep"}},"neg":-1.5,"esc":"a\"b"})";

TEST(JsonPattern, ComparesStringsAndNumbers) {
  check({
      {"{ $.eventType = \"UpdateTrail\" }", kEvent, true},
      {"{$.eventType=UpdateTrail}", kEvent, true},
      {"{ $.eventType = \"updatetrail\" }", kEvent, false},
      {"{ $.sourceIPAddress != 123.123.* }", kEvent, true},
      {"{ $.sourceIPAddress = 111.111.* }", kEvent, true},
      {"{ $.eventType = %Trail% }", kEvent, true},
      {"{ $.eventType != %Trail% }", kEvent, false},
      {"{ $.n = 123.0 }", kEvent, true},
      {"{ $.f = 12 }", kEvent, true},
      {"{ $.n = 1.23e+2 }", kEvent, true},
      {"{ $.neg = -1.5 }", kEvent, true},
      {"{ $.neg = -15e-1 }", kEvent, true},
      {"{ $.n = \"123\" }", kEvent, true},
      {"{ $.n = \"123.0\" }", kEvent, false},
      {"{ $.n != \"123.0\" }", kEvent, true},
      {"{ $.f = \"12\" }", kEvent, false},
      {"{ $.f != \"12\" }", kEvent, true},
      {"{ $.s = 123 }", kEvent, true},
      {"{ $.esc = \"a\\\"b\" }", kEvent, true},
      {"{ $.n > 100 }", kEvent, true},
      {"{ $.n >= 123 }", kEvent, true},
      {"{ $.n < 123 }", kEvent, false},
      {"{ $.n <= 123 }", kEvent, true},
      {"{ $.s > 100 }", kEvent, false},
      {"{ $.s < 1000 }", kEvent, false},
  });
}

TEST(JsonPattern, StarsAreWildOnlyAtTheEnds) {
  check({
      {"{ $.n = 1* }", kEvent, true},
      {"{ $.n = *23 }", kEvent, true},
      {"{ $.n = *2* }", kEvent, true},
      {"{ $.f = \"12.*\" }", kEvent, true},
      {"{ $.n = * }", kEvent, true},
      {"{ $.eventType = \"*\" }", kEvent, true},
      {"{ $.arrayKey = * }", kEvent, false},
      {"{ $.sourceIPAddress = *111* }", kEvent, true},
      {"{ $.sourceIPAddress = 111*111 }", kEvent, false},
      {"{ $.sourceIPAddress != 111*111 }", kEvent, true},
      {"{ $.missing = * }", kEvent, false},
  });
}

TEST(JsonPattern, SelectsNestedAndOddKeys) {
  check({
      {"{ $.nested.a.b = deep }", kEvent, true},
      {"{ $.arrayKey[0] = \"value\" }", kEvent, true},
      {"{ $.arrayKey[1] = \"value\" }", kEvent, false},
      {"{ $.arrayKey[*] = \"another value\" }", kEvent, true},
      {"{ $.objectList[1].id = 2 }", kEvent, true},
      {"{ $.objectList[*].id = 2 }", kEvent, true},
      {"{ $.objectList[*].id = 3 }", kEvent, false},
      {"{ $.* = \"UpdateTrail\" }", kEvent, true},
      {"{ $.coordinates[0][1] = 1 }", kEvent, true},
      {"{ $.coordinates[1][1] = 1 }", kEvent, false},
      {"{ $.users[0].email = \"jo@x.com\" }", kEvent, true},
      {"{ $.['cluster.name'] = \"c\" }", kEvent, true},
      {"{ $.cluster.name = \"c\" }", kEvent, false},
      {"{ $.detail-type = \"d\" }", kEvent, true},
  });
}

TEST(JsonPattern, TestsNullsBooleansAndMissingFields) {
  check({
      {"{ $.SomeObject IS NULL }", kEvent, true},
      {"{ $.missing IS NULL }", kEvent, false},
      {"{ $.IsTrue IS TRUE }", kEvent, true},
      {"{ $.IsFalse IS TRUE }", kEvent, false},
      {"{ $.IsFalse IS FALSE }", kEvent, true},
      {"{ $.missing NOT EXISTS }", kEvent, true},
      {"{ $.SomeObject NOT EXISTS }", kEvent, false},
      {"{ $.missing = 1 }", kEvent, false},
      {"{ $.missing != 1 }", kEvent, false},
      {"{ $.arrayKey != \"x\" }", kEvent, false},
      {"{ $.empty != \"x\" }", kEvent, false},
      {"{ $.eventType = x }", "not JSON", false},
      {"{ $.eventType NOT EXISTS }", "not JSON", false},
      {"{ $.eventType NOT EXISTS }", "[1]", false},
      {"{ $.eventType NOT EXISTS }", "{} trailing", false},
      {"{ $.eventType NOT EXISTS }", " {}\n", true},
  });
}

TEST(JsonPattern, ParenthesesBindTighterThanAndThanOr) {
  constexpr char event[] = R"({"user":"a","ip":"1","n":1})";
  check({
      {"{ ($.user = a) && ($.ip = 1) }", event, true},
      {"{ $.user = b && $.ip = 2 || $.n = 1 }", event, true},
      {"{ $.n = 1 || $.user = b && $.ip = 2 }", event, true},
      {"{ ($.n = 1 || $.user = b) && $.ip = 2 }", event, false},
      {"{ (($.n=1)||$.user=b)&&$.ip=1 }", event, true},
  });
}

TEST(JsonPattern, AnEscapedValueIsFound) {
  check({{"{ $.level = \"ERROR\" }", R"({"level":"\u0045RROR"})", true},
         {"{ $.level = \"ERROR\" }", R"({"l\u0065vel":"ERROR"})", true},
         {"{ $.path = \"a/b\" }", R"({"path":"a\/b"})", true}});
}

TEST(JsonPattern, InvalidOnesAreRejectedInAmazonsWords) {
  EXPECT_EQ(error_of("{ $.\"sc-status\" = 1 }"), "Invalid character(s) in term '$.\"'");
  EXPECT_EQ(error_of("{ $.a < \"abc\" }"), "Invalid character(s) in term '\"abc\"'");
  for (const char* bad : {"{}", "{ }", "{ $.a }", "{ $.a = }", "{ $.a > abc }", "{ $.a > 1* }", "{ $.a > %x% }", "{ $.a IS NOT NULL }",
                          "{ $.a EXISTS }", "{ ($.a = 1 }", "{ $.a = 1", "{ $.a = 1 } x", "{ $.a[*].b[*] = 1 }",
                          "{ $.a = 1 && }", "{ $.a[*]=1 && $.b[*]=1 && $.c[*]=1 && $.d[*]=1 }",
                          "{ $.a=%x% || $.b=%y% || $.c=%z% }"}) {
    EXPECT_EQ(error_of(bad), "Invalid metric filter pattern") << bad;
  }
  EXPECT_EQ(error_of("{ a = 1 }"), "Invalid character(s) in term 'a'");
  EXPECT_EQ(error_of("{ $.a = b:c }"), "Invalid character(s) in term 'b:'");
  EXPECT_EQ(error_of("{ $.a[x] = 1 }"), "Invalid character(s) in term '$.a[x'");
}

constexpr char kLine[] =
    R"(127.0.0.1 Prod frank [10/Oct/2000:13:25:15 -0700] "GET /index.html HTTP/1.0" 404 1534)";

TEST(DelimitedPattern, NamesAndComparesWords) {
  check({
      {"[ip, user, username, timestamp, request=*.html*, status_code=4*, bytes]", kLine, true},
      {"[ip, user, username, timestamp, request=*.php*, status_code=4*, bytes]", kLine, false},
      {"[..., status_code=404 || status_code=410, bytes]", kLine, true},
      {"[..., status_code=500 || status_code=410, bytes]", kLine, false},
      {"[..., status_code=4*,]", kLine, true},
      {"[]", kLine, true},
      {"[ip=127.0.0.1, ...]", kLine, true},
      {"[ip=%127\\.0\\.0\\.[1-9]%, user, ..., bytes > 1000]", kLine, true},
      {"[..., bytes > 2000]", kLine, false},
      {"[..., bytes >= 1534]", kLine, true},
      {"[..., bytes = 1534.0]", kLine, true},
      {"[w1=ERROR, w2]", "ERROR one two three", true},
      {"[w1=ERROR, w2]", "ERROR", false},
      {"[w1!=ERROR && w1!=WARN, w2]", "INFO x", true},
      {"[w1!=ERROR && w1!=WARN, w2]", "WARN x", false},
      {"[w1=%ERROR%, w2]", "[ERROR] x", true},
      {"[a=\"GET /\", b]", "\"GET /\" x", true},
      {"[a, b, c, d]", "1 2 3", false},
  });
}

TEST(DelimitedPattern, ExtractsEveryWord) {
  EXPECT_THAT(*parsed("[ip, user, username, timestamp, request=*.html*, status_code=4*, bytes]").extract(kLine),
              UnorderedElementsAre(Pair("$ip", "127.0.0.1"), Pair("$user", "Prod"), Pair("$username", "frank"),
                                   Pair("$timestamp", "10/Oct/2000:13:25:15 -0700"),
                                   Pair("$request", "GET /index.html HTTP/1.0"), Pair("$status_code", "404"),
                                   Pair("$bytes", "1534")));
  EXPECT_THAT(*parsed("[..., status_code=4*,]").extract(kLine),
              UnorderedElementsAre(Pair("$1", "127.0.0.1"), Pair("$2", "Prod"), Pair("$3", "frank"),
                                   Pair("$4", "10/Oct/2000:13:25:15 -0700"), Pair("$5", "GET /index.html HTTP/1.0"),
                                   Pair("$status_code", "404"), Pair("$7", "1534")));
  EXPECT_THAT(*parsed("[]").extract("a [b c] d"), ElementsAre(Pair("$1", "a"), Pair("$2", "b c"), Pair("$3", "d")));
  EXPECT_THAT(*parsed("[a, b]").extract("x y z\n"), ElementsAre(Pair("$a", "x"), Pair("$b", "y z")));
}

TEST(DelimitedPattern, InvalidOnesAreRejected) {
  for (const char* bad : {"[a", "[a=1 && b=2]", "[..., a, ...]", "[a] x", "[a=]", "[a>x]"}) {
    EXPECT_EQ(error_of(bad), "Invalid metric filter pattern") << bad;
  }
  EXPECT_EQ(error_of("[a b]"), "Invalid character(s) in term 'b'");
  EXPECT_EQ(error_of("[a=x/y]"), "Invalid character(s) in term 'x/'");
}

TEST(Extract, HasTheSelectorsOfAJsonPatternAndNothingOfText) {
  EXPECT_THAT(*parsed("{ $.latency = * && $.user.id = \"u\" }").extract(R"({"latency":50,"user":{"id":"u"},"x":1})"),
              ElementsAre(Pair("$.latency", "50"), Pair("$.user.id", "u")));
  EXPECT_TRUE(parsed("a").extract("abc")->empty());
}

TEST(FieldReference, ReadsAnyFieldOfAMatchingEvent) {
  const Pattern json = parsed("{ $.status = 500 }");
  auto latency = FieldReference::parse("$.latency", json);
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->value(R"({"status":500,"latency":1.5e1})", json), "1.5e1");
  EXPECT_EQ(latency->value(R"({"status":500})", json), std::nullopt);
  EXPECT_FALSE(FieldReference::parse("$latency", json));

  const Pattern words = parsed("[..., status, bytes]");
  EXPECT_EQ(FieldReference::parse("$bytes", words)->value(kLine, words), "1534");
  EXPECT_EQ(FieldReference::parse("$1", words)->value(kLine, words), "127.0.0.1");
  EXPECT_EQ(FieldReference::parse("$9", words)->value(kLine, words), std::nullopt);
  EXPECT_FALSE(FieldReference::parse("$other", words));
  EXPECT_FALSE(FieldReference::parse("$x", parsed("text")));
}

}  // namespace
}  // namespace services::logs
