// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/logs/filters/filters_fixture.h"
#include "services/logs/queries/query_rows.h"
#include "shapes/logs/query.h"

namespace services::logs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Queries : public FiltersTest {
 protected:
  StartQueryRequest request(const std::string& text, const std::string& group = "g") {
    StartQueryRequest out;
    out.logGroupName = group;
    out.startTime = base::to_seconds(now_) - 3600;
    out.endTime = base::to_seconds(now_) + 3600;
    out.queryString = text;
    return out;
  }
  std::string start(const StartQueryRequest& request) {
    return *run<StartQueryResponse>("StartQuery", request).queryId;
  }
  std::string start(const std::string& text) { return start(request(text)); }
  std::string start_error(const StartQueryRequest& request) {
    return error_of([&] { start(request); });
  }
  GetQueryResultsResponse results(const std::string& id, std::optional<std::string> token = {}, std::optional<std::int32_t> most = {}) {
    return run<GetQueryResultsResponse>("GetQueryResults", GetQueryResultsRequest{.queryId = id, .nextToken = token, .maxItems = most});
  }
  // Takes turns until nothing runs.
  void work() {
    while (with_call([](Call& call) { return load_active_queries(call.tx).size(); }) > 0) take_turn("logs queries");
  }
  std::vector<std::string> shown(const GetQueryResultsResponse& response) {
    std::vector<std::string> out;
    for (const auto& row : *response.results) {
      std::string text;
      for (const auto& field : row) {
        if (*field.field != "@ptr") text += (text.empty() ? "" : ", ") + *field.field + "=" + *field.value;
      }
      out.push_back(text);
    }
    return out;
  }
  // The rows of a query that is run to its end.
  std::vector<std::string> rows(const StartQueryRequest& request) {
    const std::string id = start(request);
    work();
    const auto answer = results(id);
    EXPECT_EQ(answer.status, "Complete");
    return shown(answer);
  }
};

TEST_F(Queries, RunFromScheduledToComplete) {
  put("g", "s", {{0, R"({"n":1})"}, {1000, R"({"n":2})"}, {2000, "other"}});
  const std::string id = start("fields n | filter ispresent(n)");
  EXPECT_THAT(wakes_, testing::Contains("logs/queries"));
  EXPECT_EQ(results(id).status, "Scheduled");
  take_turn("logs queries");
  EXPECT_EQ(results(id).status, "Running");
  take_turn("logs queries");
  const auto running = results(id);
  EXPECT_EQ(running.status, "Running");
  EXPECT_EQ(running.statistics->recordsScanned, 3);
  work();
  const auto done = results(id);
  EXPECT_EQ(done.status, "Complete");
  EXPECT_THAT(shown(done), ElementsAre("n=2", "n=1"));
  EXPECT_EQ(done.statistics->recordsMatched, 2);
  EXPECT_EQ(done.statistics->recordsScanned, 3);
  EXPECT_EQ(done.statistics->bytesScanned, 19);
  EXPECT_EQ(done.statistics->logGroupsScanned, 1);
  EXPECT_EQ(done.results->at(0).back().field, "@ptr");
  const auto record = run<GetLogRecordResponse>("GetLogRecord", GetLogRecordRequest{.logRecordPointer = *done.results->at(0).back().value});
  EXPECT_EQ(record.logRecord->at("@message"), R"({"n":2})");
}

TEST_F(Queries, BothEndsOfTheRangeAreIn) {
  put("g", "s", {{0, "a"}, {999, "b"}, {1000, "c"}});
  auto one = request("fields @message");
  one.startTime = one.endTime = base::to_seconds(now_);
  EXPECT_THAT(rows(one), ElementsAre("@message=b", "@message=a"));
  one.startTime = one.endTime = base::to_millis(now_) + 1000;  // milliseconds by mistake
  EXPECT_THAT(rows(one), ElementsAre("@message=c"));
}

TEST_F(Queries, OfSeveralGroupsAreOneList) {
  make_group("h");
  make_stream("h", "s");
  put("g", "s", {{0, "g0"}, {2000, "g2"}});
  put("h", "s", {{1000, "h1"}, {3000, "h3"}});
  auto two = request("fields @message, @log | limit 3");
  two.logGroupName.reset();
  two.logGroupNames = {{"g", "h"}};
  EXPECT_THAT(rows(two), ElementsAre("@message=h3, @log=111111111111:h", "@message=g2, @log=111111111111:g",
                                     "@message=h1, @log=111111111111:h"));
  two.logGroupNames.reset();
  two.logGroupIdentifiers = {{"arn:aws:logs:us-east-1:111111111111:log-group:g", "h"}};
  two.queryString = "stats count(*)";
  EXPECT_THAT(rows(two), ElementsAre("count(*)=4"));
}

TEST_F(Queries, ResultsComeInPages) {
  Lines lines;
  for (int i = 0; i < 2500; ++i) lines.push_back({i, "line " + std::to_string(i)});
  put("g", "s", lines);
  const std::string id = start("fields @message");
  work();
  EXPECT_THAT(*results(id).results, SizeIs(2500));
  const auto first = results(id, {}, 1500);
  EXPECT_THAT(*first.results, SizeIs(1500));
  const auto second = results(id, first.nextToken, 1500);
  ASSERT_THAT(*second.results, SizeIs(1000));
  EXPECT_EQ(second.results->at(0).at(0).value, "line 999");
  EXPECT_EQ(second.nextToken, std::nullopt);
  EXPECT_THAT(error_of([&] { results(id, "x"); }), HasSubstr("nextToken is invalid"));
  auto limited = request("fields @message");
  limited.limit = 7;
  EXPECT_THAT(rows(limited), SizeIs(7));
  limited.queryString = "fields @message | limit 9";
  EXPECT_THAT(rows(limited), SizeIs(9));
}

TEST_F(Queries, AStoppedOneIsCancelled) {
  const std::string id = start("fields a");
  take_turn("logs queries");
  EXPECT_EQ(run<StopQueryResponse>("StopQuery", StopQueryRequest{id}).success, true);
  EXPECT_THAT(wakes_, testing::Contains("logs/queries"));
  take_turn("logs queries");
  EXPECT_EQ(results(id).status, "Cancelled");
  EXPECT_THAT(error_of([&] { run<StopQueryResponse>("StopQuery", StopQueryRequest{id}); }), HasSubstr("InvalidParameterException"));
}

TEST_F(Queries, ThatNeedTooMuchMemoryFailAndOldOnesTimeOut) {
  put("g", "s", {{0, std::string(500'000, 'x')}, {1, std::string(500'000, 'y')}});
  std::string many = "@message";
  for (int i = 0; i < 40; ++i) many += ", @message";
  const std::string id = start("fields concat(" + many + ") as a, concat(" + many + ") as b | sort a | dedup a");
  const std::string late = start("fields a");
  work();
  EXPECT_EQ(results(id).status, "Failed");
  EXPECT_EQ(results(late).status, "Complete");
  const std::string slow = start("fields a");
  take_turn("logs queries");
  now_ += std::chrono::minutes(61);
  work();
  EXPECT_EQ(results(slow).status, "Timeout");
}

TEST_F(Queries, StartAgainAfterARestart) {
  put("g", "s", {{0, "a"}});
  const std::string id = start("fields @message");
  take_turn("logs queries");
  Options options;
  options.data = folder_;
  module_ = module(options);  // its loops have no state
  work();
  EXPECT_THAT(shown(results(id)), ElementsAre("@message=a"));
}

TEST_F(Queries, ResultsAreKeptForAWeek) {
  put("g", "s", {{0, "a"}});
  const std::string id = start("fields @message");
  work();
  EXPECT_EQ(take_turn("logs queries"), now_ + kQueryResultsKept);
  now_ += kQueryResultsKept;
  take_turn("logs queries");
  EXPECT_EQ(count_rows("logs_query_pages"), 0);
  EXPECT_THAT(error_of([&] { results(id); }), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(take_turn("logs queries"), std::nullopt);
}

TEST_F(Queries, AreListedTheNewestFirst) {
  const std::string first = start("fields a");
  now_ += std::chrono::seconds(1);
  const std::string second = start("fields @message");
  auto list = run<DescribeQueriesResponse>("DescribeQueries", DescribeQueriesRequest{});
  ASSERT_THAT(*list.queries, SizeIs(2));
  const QueryInfo& info = list.queries->at(0);
  EXPECT_EQ(info.queryId, second);
  EXPECT_EQ(info.queryLanguage, "CWLI");
  EXPECT_EQ(info.logGroupName, "g");
  EXPECT_EQ(info.queryString, "SOURCE \"g\" START=1799996401000 END=1800003601999 | fields @message");
  list = run<DescribeQueriesResponse>("DescribeQueries", DescribeQueriesRequest{.maxResults = 1});
  list = run<DescribeQueriesResponse>("DescribeQueries", DescribeQueriesRequest{.maxResults = 1, .nextToken = list.nextToken});
  EXPECT_EQ(list.queries->at(0).queryId, first);
  EXPECT_EQ(list.nextToken, std::nullopt);
  EXPECT_THAT(*run<DescribeQueriesResponse>("DescribeQueries", DescribeQueriesRequest{.status = "Complete"}).queries, IsEmpty());
  EXPECT_THAT(*run<DescribeQueriesResponse>("DescribeQueries", DescribeQueriesRequest{.logGroupName = "h"}).queries, IsEmpty());
  EXPECT_THAT(*run<ListLogGroupsForQueryResponse>("ListLogGroupsForQuery", ListLogGroupsForQueryRequest{.queryId = first}).logGroupIdentifiers,
              ElementsAre("g"));
}

TEST_F(Queries, InvalidOnesAreRejectedInAmazonsWords) {
  EXPECT_EQ(start_error(request("fields a sort b")), "MalformedQueryException: unexpected symbol found sort at line 1 and position 9");
  EXPECT_THAT(start_error(request("fields a", "none")),
              HasSubstr("ResourceNotFoundException: Log group 'none' does not exist for account ID '111111111111' (Service: AWSLogs;"));
  auto bad = request("fields a");
  bad.endTime = base::to_seconds(now_) - 3600;
  EXPECT_THAT(start_error(bad), HasSubstr("MalformedQueryException: Query's end date and time is either before"));
  bad = request("fields a");
  bad.startTime = bad.endTime + 1;
  EXPECT_THAT(start_error(bad), HasSubstr("InvalidParameterException"));
  bad = request("fields a");
  bad.queryLanguage = "SQL";
  EXPECT_THAT(start_error(bad), HasSubstr("does not support the query language SQL"));
  bad = request("fields a");
  bad.logGroupNames = {{"g"}};
  EXPECT_THAT(start_error(bad), HasSubstr("Exactly one of"));
  EXPECT_THAT(error_of([&] { results("none"); }), HasSubstr("ResourceNotFoundException"));
  caller_.account = "222222222222";
  EXPECT_THAT(start_error(request("fields a")), HasSubstr("ResourceNotFoundException"));
}

TEST_F(Queries, AreAHundredAtOnce) {
  with_call([&](Call& call) {
    const StartQueryRequest one = request("fields a");
    for (int i = 0; i < 100; ++i) directory_.find("logs", "StartQuery")->run(call, &one);
  });
  EXPECT_THAT(start_error(request("fields a")), HasSubstr("LimitExceededException"));
  // Few of them are in memory at a time, and all get their turn.
  for (int i = 0; i < 50; ++i) take_turn("logs queries");
  EXPECT_LT(count_rows("logs_queries WHERE status = 'Running'"), 9);
  EXPECT_GT(count_rows("logs_queries WHERE status = 'Complete'"), 0);
}

TEST_F(Queries, DefinitionsAreSavedListedAndDeleted) {
  const auto put_definition = [&](const PutQueryDefinitionRequest& request) {
    return *run<PutQueryDefinitionResponse>("PutQueryDefinition", request).queryDefinitionId;
  };
  const auto list = [&](const DescribeQueryDefinitionsRequest& request) {
    return run<DescribeQueryDefinitionsResponse>("DescribeQueryDefinitions", request);
  };
  PutQueryDefinitionRequest request{.name = "b/one", .queryString = "fields a"};
  request.logGroupNames = {{"g"}};
  request.clientToken = std::string(36, 't');
  const std::string one = put_definition(request);
  EXPECT_EQ(put_definition(request), one);
  const std::string two = put_definition({.name = "a", .queryString = "fields b"});
  auto all = list({});
  ASSERT_THAT(*all.queryDefinitions, SizeIs(2));
  EXPECT_EQ(all.queryDefinitions->at(0).queryDefinitionId, two);
  EXPECT_EQ(all.queryDefinitions->at(0).logGroupNames, std::nullopt);
  EXPECT_THAT(*all.queryDefinitions->at(1).logGroupNames, ElementsAre("g"));
  EXPECT_THAT(*list({.queryDefinitionNamePrefix = "b/"}).queryDefinitions, SizeIs(1));
  const auto page = list({.maxResults = 1});
  EXPECT_EQ(list({.maxResults = 1, .nextToken = page.nextToken}).queryDefinitions->at(0).name, "b/one");
  PutQueryDefinitionRequest update{.name = "c", .queryDefinitionId = two, .queryString = "fields c"};
  EXPECT_EQ(put_definition(update), two);
  EXPECT_EQ(list({.queryDefinitionNamePrefix = "c"}).queryDefinitions->at(0).queryString, "fields c");
  EXPECT_EQ(run<DeleteQueryDefinitionResponse>("DeleteQueryDefinition", DeleteQueryDefinitionRequest{two}).success, true);
  EXPECT_THAT(error_of([&] { put_definition(update); }), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(error_of([&] { run<DeleteQueryDefinitionResponse>("DeleteQueryDefinition", DeleteQueryDefinitionRequest{two}); }),
              HasSubstr("ResourceNotFoundException"));
}

}  // namespace
}  // namespace services::logs
