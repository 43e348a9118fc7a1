// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/logs/insights/execution.h"
#include "services/logs/insights/parser.h"

namespace services::logs::insights {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kBase = 1'658'147'640'000;  // 2022-07-18 12:34:00

struct Line {
  std::int64_t ms;  // after kBase
  std::string message;
};

std::string joined(const ResultRow& row) {
  std::string out;
  for (const auto& [field, value] : row) {
    if (field == "@ptr") continue;
    out += (out.empty() ? "" : ", ") + field + "=" + value;
  }
  return out;
}

std::vector<std::string> run(std::string_view text, std::vector<Line> lines, ExecutionLimits limits = {}) {
  auto query = parse_query(text, base::from_millis(kBase));
  EXPECT_TRUE(query) << text << ": " << (query ? "" : query.error());
  if (!query) return {};
  Execution execution(std::move(*query), limits);
  std::reverse(lines.begin(), lines.end());
  for (const Line& line : lines) {
    const std::int64_t ms = line.ms;
    if (!execution.add({.timestamp_ms = kBase + ms, .ingested_ms = kBase + ms + 5, .message = line.message,
                        .stream = "s", .log = "111:g", .pointer = [ms] { return "p" + std::to_string(ms); }})) break;
  }
  std::vector<std::string> out;
  for (const ResultRow& row : execution.finish()) out.push_back(joined(row));
  return out;
}

// The value of one expression, of one JSON event.
std::string value_of(const std::string& expression, const std::string& message = R"({"n":5,"f":2.5,"s":"Hello","t":true,"z":null})") {
  const auto rows = run("fields " + expression + " as x", {{31'195, message}});
  if (rows.size() != 1) return "?";
  return rows[0].empty() ? "null" : rows[0].substr(2);
}

std::string query_error(std::string_view text) {
  auto query = parse_query(text, base::from_millis(kBase));
  return query ? "" : query.error();
}

const std::vector<Line> kLines = {
    {0, R"({"level":"INFO","ms":10,"user":{"id":"a1"},"tags":["x","y"]})"},
    {1000, R"({"level":"ERROR","ms":200,"user":{"id":"a10"}})"},
    {61'000, R"({"level":"ERROR","ms":30,"user":{"id":"a2"}})"},
    {62'000, "plain text user=bob id=7"},
};

TEST(Insights, WithoutFieldsARowIsTimeAndMessageTheNewestFirst) {
  EXPECT_THAT(run("limit 2", kLines),
              ElementsAre("@timestamp=2022-07-18 12:35:02.000, @message=plain text user=bob id=7",
                          HasSubstr("@timestamp=2022-07-18 12:35:01.000")));
}

TEST(Insights, ARowThatIsAnEventEndsWithItsPointer) {
  auto query = parse_query("fields @log, @logStream, @ingestionTime", base::from_millis(0));
  Execution execution(std::move(*query), {});
  execution.add({.timestamp_ms = kBase, .ingested_ms = kBase, .message = "m", .stream = "s", .log = "111:g", .pointer = [] { return "p"; }});
  EXPECT_THAT(execution.finish(), ElementsAre(ElementsAre(
      std::pair("@log", "111:g"), std::pair("@logStream", "s"), std::pair("@ingestionTime", "2022-07-18 12:34:00.000"),
      std::pair("@ptr", "p"))));
}

TEST(Insights, FieldsAddUpAndDisplayReplacesThem) {
  EXPECT_THAT(run("fields level | fields ms / 10 as tens, ms | filter level = 'INFO'", kLines),
              ElementsAre("level=INFO, tens=1, ms=10"));
  EXPECT_THAT(run("fields level, ms | display ms | filter ms > 100", kLines), ElementsAre("ms=200"));
  EXPECT_THAT(run("fields ms | display level | display ms | fields level | filter ms > 100", kLines), ElementsAre("ms=200"));
}

TEST(Insights, AnAliasIsVisibleInLaterCommandsOnly) {
  EXPECT_THAT(run("fields ms as a, a + 1 as b | fields a + 2 as c | filter ms = 10", kLines), ElementsAre("a=10, c=12"));
}

TEST(Insights, FiltersCompareMatchAndCombine) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"level = 'ERROR'", 2},
      {"level != 'ERROR'", 2},
      {"ms > 30", 1},
      {"ms >= 30", 2},
      {"ms < 30 or ms > 100", 2},
      {"ms <= 30 and level = \"ERROR\"", 1},
      {"not level = 'ERROR'", 2},
      {"@message like 'plain'", 1},
      {"@message like \"PLAIN\"", 0},
      {"@message like /(?i)PLAIN/", 1},
      {"@message =~ /user.bob/", 1},
      {"@message not like /level/", 1},
      {"level in ['INFO', 'ERROR']", 3},
      {"level not in ['INFO']", 3},
      {"ms in [10, 200]", 2},
      {"ispresent(level)", 3},
      {"isempty(level)", 1},
      {"(level = 'INFO' or level = 'ERROR') and not (ms = 10)", 2},
      {"user.id = 'a1'", 1},
      {"tags.0 = 'x' and tags[1] = 'y'", 1},
      {"@timestamp > 1658147641000", 2},
      {"strcontains(@message, 'bob')", 1},
      {"level = 'ERROR' # a comment\n", 2},
  };
  for (const auto& [condition, count] : cases) {
    EXPECT_EQ(run(std::string("FILTER ") + condition, kLines).size(), count) << condition;
    EXPECT_EQ(run(std::string("where ") + condition, kLines).size(), count) << condition;
  }
}

TEST(Insights, ParseReadsGlobsRegularExpressionsAndLogfmt) {
  EXPECT_THAT(run("parse @message 'user=* id=*' as u, i | filter ispresent(u) | display u, i", kLines), ElementsAre("u=bob, i=7"));
  EXPECT_THAT(run("parse 'user=* ' as u | filter u = 'bob' | display u", kLines), ElementsAre("u=bob"));
  EXPECT_THAT(run("parse @message /user=(?<u>\\w+) id=(?<i>\\d)/ | filter i > 6 | display u, i", kLines), ElementsAre("u=bob, i=7"));
  EXPECT_THAT(run("parse user.id 'a*' as n | filter n = 10 | display n", kLines), ElementsAre("n=10"));
  // Amazon: an event that does not match is in the results "without the extracted fields".
  EXPECT_THAT(run("parse @message 'user=* id=*' as u, i | filter ms > 100 or u = 'bob'", kLines),
              ElementsAre("@timestamp=2022-07-18 12:35:02.000, @message=plain text user=bob id=7, u=bob, i=7",
                          HasSubstr("@timestamp=2022-07-18 12:34:01.000, @message={\"level\"")));
  EXPECT_THAT(run("fields ms | parse user.id 'a*' as n | filter n = 10", kLines), ElementsAre("ms=200, n=10"));
  EXPECT_THAT(run("display ms | parse user.id 'a*' as n | filter n = 10", kLines), ElementsAre("ms=200"));
  EXPECT_THAT(run("parse @message logfmt as x | fields x.user, x.q as q", {{0, R"(a user=bob q="x \" y")"}}),
              ElementsAre("x.user=bob, q=x \" y"));
}

TEST(Insights, StatsGroupsAndAggregates) {
  EXPECT_THAT(run("stats count(*), sum(ms) as total, avg(ms), min(ms), max(ms) by level | sort level", kLines),
              ElementsAre("count(*)=1", "level=ERROR, count(*)=2, total=230, avg(ms)=115, min(ms)=30, max(ms)=200",
                          "level=INFO, count(*)=1, total=10, avg(ms)=10, min(ms)=10, max(ms)=10"));
  EXPECT_THAT(run("stats count(level), count_distinct(level), pct(ms, 50), stddev(ms)", kLines),
              ElementsAre(HasSubstr("count(level)=3, count_distinct(level)=2, pct(ms, 50)=30, stddev(ms)=85.")));
  EXPECT_THAT(run("stats earliest(ms) as e, latest(ms) as l, latest(@timestamp) as t, sortsFirst(user.id) as f, sortsLast(user.id) as g", kLines),
              ElementsAre("e=10, l=30, t=1658147702000, f=a1, g=a10"));
  EXPECT_THAT(run("stats sum(ms) / count(*) as r", kLines), ElementsAre("r=60"));
  EXPECT_THAT(run("stats count(*)", {}), ElementsAre("count(*)=0"));
  EXPECT_THAT(run("stats count(*) by level", {}), IsEmpty());
}

TEST(Insights, GroupsByTimeAscend) {
  EXPECT_THAT(run("stats count(*) by bin(1m)", kLines), ElementsAre("bin(1m)=2022-07-18 12:34:00.000, count(*)=2",
                                                                    "bin(1m)=2022-07-18 12:35:00.000, count(*)=2"));
  EXPECT_THAT(run("stats count(*) as n by bin(300s) as t | sort n desc, t", kLines),
              ElementsAre("t=2022-07-18 12:34:00.000, n=2", "t=2022-07-18 12:35:00.000, n=2"));
  EXPECT_THAT(run("stats count(*) as n by bin(1mo) as t", kLines), ElementsAre("t=2022-07-01 00:00:00.000, n=4"));
}

TEST(Insights, ASecondStatsSeesTheFirst) {
  EXPECT_THAT(run("stats count(*) as n by bin(1m) | stats max(n) as most, count(level) as none", kLines),
              ElementsAre("most=2, none=0"));
  EXPECT_THAT(query_error("stats count(*) | stats count(*) | stats count(*)"), HasSubstr("unexpected symbol found stats"));
  EXPECT_THAT(query_error("stats count(*) as n | sort n | stats max(n)"), HasSubstr("unexpected symbol found stats"));
}

TEST(Insights, SortIsNatural) {
  EXPECT_THAT(run("fields user.id | sort user.id", kLines), ElementsAre("", "user.id=a1", "user.id=a2", "user.id=a10"));
  EXPECT_THAT(run("fields user.id | sort user.id desc | limit 1", kLines), ElementsAre("user.id=a10"));
  EXPECT_THAT(run("fields v | sort v", {{0, R"({"v":"9"})"}, {1, R"({"v":"b"})"}, {2, R"({"v":10})"}, {3, R"({"v":"a"})"}}),
              ElementsAre("v=a", "v=b", "v=9", "v=10"));
  EXPECT_THAT(run("fields level, ms | sort level asc, ms desc | filter ispresent(ms)", kLines),
              ElementsAre("level=ERROR, ms=200", "level=ERROR, ms=30", "level=INFO, ms=10"));
}

TEST(Insights, DedupKeepsTheFirstAndRowsWithoutAValue) {
  EXPECT_THAT(run("fields level, ms | sort ms | dedup level", kLines), ElementsAre("", "level=INFO, ms=10", "level=ERROR, ms=30"));
  EXPECT_THAT(run("fields level | dedup level | limit 2", kLines), ElementsAre("", "level=ERROR"));
  EXPECT_EQ(query_error("dedup level | sort level"), "unexpected symbol found sort at line 1 and position 14");
}

TEST(Insights, LimitsStopTheScan) {
  auto query = parse_query("filter ms > 5 | limit 1", base::from_millis(0));
  Execution execution(std::move(*query), {});
  EXPECT_TRUE(execution.add({.message = "{}"}));
  EXPECT_FALSE(execution.add({.message = R"({"ms":6})"}));
  EXPECT_EQ(execution.matched(), 1u);
  EXPECT_EQ(run("fields ms", kLines, {.rows = 3}).size(), 3u);
  EXPECT_EQ(run("fields ms | sort ms", kLines, {.rows = 3}).size(), 3u);
  EXPECT_EQ(run("limit any 2", kLines).size(), 2u);
}

TEST(Insights, MemoryIsBounded) {
  EXPECT_THROW(run("stats count(*) by ms", kLines, {.groups = 2}), QueryTooLarge);
  EXPECT_THROW(run("sort ms | dedup ms", kLines, {.buffered_bytes = 100}), QueryTooLarge);
  // Each command makes a text eight times as long.
  std::string text = "fields 'abcdefgh' as a";
  for (int i = 0; i < 8; ++i) text += " | fields concat(a, a, a, a, a, a, a, a) as a";
  EXPECT_THROW(run(text, kLines), QueryTooLarge);
  EXPECT_THROW(run("sort ms | fields concat(@message, ms)", kLines, {.finish_work = 10}), QueryTooLarge);
  std::string many = "filter a like /x/";
  for (int i = 0; i < 32; ++i) many += " and a like /x/";
  EXPECT_THAT(query_error(many), HasSubstr("at most 32 regular expressions"));
}

TEST(Insights, OddNamesStandInBackticks) {
  EXPECT_THAT(run("fields `foo-bar`, a.b, @@id", {{0, R"({"foo-bar":1,"a.b":2,"@id":3})"}}),
              ElementsAre("foo-bar=1, a.b=2, @@id=3"));
  EXPECT_THAT(run("stats count(*) by level | sort `count(*)` desc | limit 1", kLines), ElementsAre("level=ERROR, count(*)=2"));
}

TEST(InsightsFunctions, HaveTheirDocumentedResults) {
  const std::pair<const char*, const char*> cases[] = {
      {"n + 1", "6"}, {"n - f * 2", "0"}, {"2 ^ 3", "8"}, {"n % 3", "2"}, {"n / 0", "null"}, {"-n", "-5"}, {"s + 1", "null"},
      {"abs(0 - n)", "5"}, {"ceil(f)", "3"}, {"floor(f)", "2"}, {"greatest(1, n, f)", "5"}, {"least(n, f)", "2.5"},
      {"log(1)", "0"}, {"sqrt(9)", "3"}, {"round(2.567, 1)", "2.6"}, {"round(2.5)", "3"}, {"toNumber('12')", "12"},
      {"toInt(f)", "2"}, {"toLong('7.9')", "7"}, {"toDouble('x')", "null"}, {"round(haversine(0, 0, 0, 1))", "111"},
      {"ispresent(n)", "1"}, {"ispresent(none)", "0"}, {"ispresent(z)", "0"}, {"coalesce(none, s)", "Hello"},
      {"if(n > 3, 'big', 'small')", "big"}, {"case(n > 9, 'a', n > 3, 'b', 'c')", "b"}, {"case(n > 9, 'a', 'c')", "c"},
      {"isNumeric(n)", "1"}, {"isNumeric(s)", "0"}, {"messageSize()", "45"}, {"now()", "1658147640"}, {"t", "1"},
      {"jsonStringify(s)", "\"Hello\""}, {"jsonArraySize('[1,2]')", "2"}, {"jsonArrayContains('[1,2]', 2)", "1"},
      {"isempty('')", "1"}, {"isblank(' ')", "1"}, {"concat(s, ' ', n)", "Hello 5"}, {"trim('  a ')", "a"},
      {"ltrim('xxa', 'x')", "a"}, {"rtrim('a  ')", "a"}, {"strlen('\xC3\xA4\xC3\xB6')", "2"}, {"toupper(s)", "HELLO"},
      {"tolower(s)", "hello"}, {"substr(s, 1)", "ello"}, {"substr(s, 1, 2)", "el"}, {"substr(s, 9)", ""},
      {"replace(s, 'l', 'L')", "HeLLo"}, {"regexReplace(s, 'l+', 'L')", "HeLo"}, {"regexReplace(s, /(H)(e)/, '$2$1')", "eHllo"},
      {"strcontains(s, 'ell')", "1"}, {"startsWith(s, 'He')", "1"}, {"endsWith(s, 'He')", "0"}, {"split('a,b', ',')", R"(["a","b"])"},
      {"urlencode('a b/')", "a%20b%2F"}, {"urldecode('a%20b+c')", "a b c"}, {"base64encode('hi')", "aGk="},
      {"base64decode('aGk=')", "hi"}, {"md5('')", "d41d8cd98f00b204e9800998ecf8427e"},
      {"substr(sha256(''), 0, 8)", "e3b0c442"},
      {"bin(1h)", "2022-07-18 12:00:00.000"}, {"bin(300s)", "2022-07-18 12:34:00.000"}, {"bin(1 day)", "2022-07-18 00:00:00.000"},
      {"datefloor(@timestamp, 1m)", "2022-07-18 12:34:00.000"}, {"dateceil(@timestamp, 1h)", "2022-07-18 13:00:00.000"},
      {"datefloor(@timestamp, 1q)", "2022-07-01 00:00:00.000"}, {"dateceil(@timestamp, 1y)", "2023-01-01 00:00:00.000"},
      {"fromMillis(0)", "1970-01-01 00:00:00.000"}, {"toMillis(@timestamp)", "1658147671195"},
      {"parseDate('2022-07-18 12:34:31.195', 'yyyy-MM-dd HH:mm:ss.SSS')", "2022-07-18 12:34:31.195"},
      {"parseDate('18/Jul/2022:02:00 PM +0200', 'dd/MMM/yyyy:hh:mm a Z')", "2022-07-18 12:00:00.000"},
      {"parseDate('x', 'yyyy')", "null"}, {"formatDate(@timestamp, \"yyyy/MM/dd 'at' HH:mm\")", "2022/07/18 at 12:34"},
      {"formatDate(0, 'EEE d MMM')", "Thu 1 Jan"},
      {"isValidIp('10.0.0.1')", "1"}, {"isValidIpV4('::1')", "0"}, {"isValidIpV6('::1')", "1"},
      {"isIpInSubnet('10.1.2.3', '10.0.0.0/8')", "1"}, {"isIpv4InSubnet('11.1.2.3', '10.0.0.0/8')", "0"},
      {"isIpv6InSubnet('2001:db8::1', '2001:db8::/32')", "1"}, {"isPrivateIP('192.168.1.1')", "1"},
      {"isPublicIP('8.8.8.8')", "1"}, {"ipv4ToNumber('1.0.0.1')", "16777217"},
  };
  for (const auto& [expression, expected] : cases) EXPECT_EQ(value_of(expression), expected) << expression;
}

TEST(InsightsFunctions, ParsedJsonHasFields) {
  EXPECT_THAT(run("fields jsonParse(doc) as j | fields j.a, j.b[1] as b | display j.a, b", {{0, R"({"doc":"{\"a\":1,\"b\":[2,3]}"})"}}),
              ElementsAre("j.a=1, b=3"));
}

TEST(InsightsErrors, NameTheSymbolAndItsPosition) {
  EXPECT_EQ(query_error("fields @message sort"), "unexpected symbol found sort at line 1 and position 16");
  EXPECT_EQ(query_error("fields a\n| bogus x"), "unexpected symbol found bogus at line 2 and position 2");
  EXPECT_EQ(query_error(""), "unexpected symbol found <EOF> at line 1 and position 0");
  EXPECT_EQ(query_error("filter a ="), "unexpected symbol found <EOF> at line 1 and position 10");
  EXPECT_EQ(query_error("sort bin(1d)"), "unexpected symbol found bin at line 1 and position 5");
  EXPECT_EQ(query_error("stats x by y"), "Unknown symbols found in or after stats: x");
  for (const char* bad : {"fields count(*)", "limit 0", "limit x", "limit 100001", "parse 'a*' as x, y", "parse 'a'", "filter a like",
                          "fields nosuch(1)", "fields abs(1, 2)", "fields 'open", "filter (a", "stats count(*) by bin(1x)", "stats pct(a)",
                          "stats sum(count(*))", "fields a,", "filter a =~ b", "fields a | ", "| fields a", "dedup"}) {
    EXPECT_THAT(query_error(bad), HasSubstr("unexpected symbol found")) << bad;
  }
  EXPECT_THAT(query_error("filter a like /(/"), HasSubstr("Invalid regular expression"));
  EXPECT_THAT(query_error("parse @message /a(b)/"), HasSubstr("named groups"));
  for (const char* command : {"pattern @message", "diff", "unmask a", "unnest a into b", "anomaly", "join", "lookup"}) {
    EXPECT_THAT(query_error(command), HasSubstr("Stoker does not support the command '")) << command;
  }
  EXPECT_THAT(query_error("filter " + std::string(200, '(') + "a"), HasSubstr("too many nested"));
}

TEST(Aggregates, PercentilesAndDistinctCountsStayCloseBeyondTheirExactLimits) {
  Quantiles quantiles;
  DistinctCount distinct;
  for (int i = 1; i <= 100'000; ++i) {
    quantiles.add(i);
    distinct.add(std::to_string(i));
  }
  EXPECT_NEAR(quantiles.at(50), 50'000, 500);
  EXPECT_NEAR(quantiles.at(99), 99'000, 990);
  EXPECT_EQ(quantiles.at(100), 100'000);
  EXPECT_NEAR(distinct.estimate(), 100'000, 4'000);
}

}  // namespace
}  // namespace services::logs::insights
