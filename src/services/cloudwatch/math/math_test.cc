// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "services/cloudwatch/math/math_program.h"
#include "services/cloudwatch/math/metric_search.h"
#include "wire/error.h"

namespace services::cloudwatch {
namespace {

// A Friday, 08:00.
const base::Time kMathStart = base::from_seconds(1800000000 - 1800000000 % 86400 + 8 * 3600);
const double kNone = NAN;  // no point

MathSeries series_of(const std::vector<double>& values, std::int64_t period_s = 60) {
  MathSeries series{.label = "", .period_s = period_s, .points = {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    series.points.push_back({kMathStart + std::chrono::seconds(period_s * static_cast<std::int64_t>(i)), values[i]});
  }
  return series;
}

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// "30 0 20 - -": the five periods of the test's range.
std::string show(const MathSeries& series) {
  std::string out;
  for (int i = 0; i < 5; ++i) {
    const base::Time at = kMathStart + std::chrono::minutes(i);
    std::string one = "-";
    for (const MathPoint& point : series.points) {
      if (point.at == at) one = number_text(point.value);
    }
    out += (i ? " " : "") + one;
  }
  return out;
}

std::string show(const MathValue& value) {
  if (const double* scalar = std::get_if<double>(&value)) return "S " + number_text(*scalar);
  if (const MathSeries* series = std::get_if<MathSeries>(&value)) return show(*series);
  std::string out;
  for (const MathSeries& series : std::get<MathArray>(value)) out += "[" + show(series) + "]";
  return out;
}

// The value of an expression over m1, m2, m3 and the empty series n1; or the error.
std::string math(const std::string& expression, const std::string& other = "m1 + 1") {
  MathInput input{.range = {kMathStart, kMathStart + std::chrono::minutes(5), 60}, .metrics = {}};
  input.metrics["m1"] = series_of({1, 2, 3, 4, 5});
  input.metrics["m2"] = series_of({10, kNone, 0, kNone, -4});
  input.metrics["m3"] = series_of({1, 1, 0, 0, kNone});
  input.search = [](const MathSearch& search) -> MathArray {
    if (search.query != "{NS} x") throw MathError("unexpected search");
    return {series_of({7, 7, 7, 7, 7}), series_of({1, 1, 1, 1, 1})};
  };
  try {
    const MathProgram program = MathProgram::compile(
        {{"m1", ""}, {"m2", ""}, {"m3", ""}, {"n1", ""}, {"e2", other}, {"e1", expression}});
    return show(program.evaluate(input).at("e1"));
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "ValidationError");
    return error.message();
  }
}

TEST(Math, ArithmeticComparisonAndLogic) {
  EXPECT_EQ(math("m1 + m2"), "11 2 3 4 1");  // a missing point counts as 0
  EXPECT_EQ(math("m1 - 1"), "0 1 2 3 4");
  EXPECT_EQ(math("10 / m1 * m1"), "10 10 10 10 10");
  EXPECT_EQ(math("m1 / m2"), "0.1 - - - -1.25");  // a division by zero drops the point
  EXPECT_EQ(math("-m1 ^ 2"), "-1 -4 -9 -16 -25");
  EXPECT_EQ(math("2 ^ 3 ^ 2"), "S 512");
  EXPECT_EQ(math("1 + 2 * 3 - 4 / 2"), "S 5");
  EXPECT_EQ(math("(1 + 2) * 3"), "S 9");
  EXPECT_EQ(math("1.5e1"), "S 15");
  EXPECT_EQ(math("m1 > 2 AND m1 <= 4"), "0 0 1 1 0");
  EXPECT_EQ(math("m1 == 1 || m1 != 2 && m1 >= 5"), "1 0 0 0 1");
  EXPECT_EQ(math("m1 < m2"), "1 0 0 0 0");
  EXPECT_EQ(math("e2 * 2"), "4 6 8 10 12");
  EXPECT_EQ(math("[m1, m2] * 2"), "[2 4 6 8 10][20 - 0 - -8]");
  EXPECT_EQ(math("m3 + METRICS('m1')"), "[2 3 3 4 5]");
}

TEST(Math, StatisticsOfASeriesAndAcrossAnArray) {
  EXPECT_EQ(math("SUM(m1)"), "S 15");
  EXPECT_EQ(math("AVG(m2)"), "S 2");
  EXPECT_EQ(math("m1 - MIN(m1)"), "0 1 2 3 4");
  EXPECT_EQ(math("MAX(m1)"), "S 5");
  EXPECT_EQ(math("STDDEV([m1, m1])"), "0 0 0 0 0");
  EXPECT_EQ(math("DATAPOINT_COUNT(m2)"), "S 3");
  EXPECT_EQ(math("SUM([m1, m2])"), "11 2 3 4 1");
  EXPECT_EQ(math("AVG(METRICS())"), "4 1.5 1 2 0.5");
  EXPECT_EQ(math("MAX(METRICS('m'))"), "10 2 3 4 5");
  EXPECT_EQ(math("m1 * AVG(n1)"), "- - - - -");
}

TEST(Math, FunctionsOfOneSeries) {
  EXPECT_EQ(math("ABS(m2)"), "10 - 0 - 4");
  EXPECT_EQ(math("CEIL(m1 / 2)"), "1 1 2 2 3");
  EXPECT_EQ(math("FLOOR(m1 / 2)"), "0 1 1 2 2");
  EXPECT_EQ(math("LOG10(m1 * 0 + 100)"), "2 2 2 2 2");
  EXPECT_EQ(math("LOG(m2)"), "2.302585 - - - -");  // neither 0 nor a negative number has one
  EXPECT_EQ(math("DIFF(m1)"), "- 1 1 1 1");
  EXPECT_EQ(math("DIFF(m2)"), "- - -10 - -4");
  EXPECT_EQ(math("DIFF_TIME(m2)"), "- - 120 - 120");
  EXPECT_EQ(math("RATE(m1 * 120)"), "- 2 2 2 2");
  EXPECT_EQ(math("RUNNING_SUM(m1)"), "1 3 6 10 15");
  EXPECT_EQ(math("PERIOD(m1)"), "S 60");
  EXPECT_EQ(math("SUM(m1) / PERIOD(m1)"), "S 0.25");
}

TEST(Math, FillAndIf) {
  EXPECT_EQ(math("FILL(m2, 7)"), "10 7 0 7 -4");
  EXPECT_EQ(math("FILL(m2, m1)"), "10 2 0 4 -4");
  EXPECT_EQ(math("FILL(m2, REPEAT)"), "10 10 0 0 -4");
  EXPECT_EQ(math("FILL(m2, LINEAR)"), "10 5 0 -2 -4");
  EXPECT_EQ(math("FILL(n1, 0)"), "0 0 0 0 0");
  EXPECT_EQ(math("FILL(n1, REPEAT)"), "- - - - -");
  EXPECT_EQ(math("FILL(METRICS('m2'), 1)"), "[10 1 0 1 -4]");
  EXPECT_EQ(math("IF(m1 > 2, m1, 0)"), "0 0 3 4 5");
  EXPECT_EQ(math("IF(m1 > 2, m1)"), "- - 3 4 5");
  EXPECT_EQ(math("IF(SUM(m1) > 10, m1, m2)"), "1 2 3 4 5");
  EXPECT_EQ(math("IF(0, m1, 3)"), "3 3 3 3 3");
  EXPECT_EQ(math("IF(0, m1)"), "- - - - -");
  EXPECT_EQ(math("TIME_SERIES(IF(1, 5))"), "5 5 5 5 5");
  EXPECT_EQ(math("TIME_SERIES(IF(0, 5))"), "- - - - -");
  EXPECT_EQ(math("SLICE([m1, m2], IF(0, 1))"), "1 2 3 4 5");
  EXPECT_EQ(math("IF(m3, 7)"), "7 7 - - -");
}

// Expressions that are mostly valid, at random.
class RandomMath {
 public:
  explicit RandomMath(unsigned seed) : random_(seed) {}

  std::string series(int depth) {
    if (depth == 0) return pick({"m1", "m2", "n1"});
    switch (below(8)) {
      case 0: return "(" + series(depth - 1) + pick({"+", "/", "^", "<", " AND "}) + any(depth - 1) + ")";
      case 1: return "FILL(" + series(depth - 1) + "," + pick({"0", "REPEAT", "LINEAR", any(depth - 1)}) + ")";
      case 2: return "IF(" + any(depth - 1) + "," + any(depth - 1) + ")";
      case 3: return "IF(" + any(depth - 1) + "," + any(depth - 1) + "," + any(depth - 1) + ")";
      case 4: return "TIME_SERIES(" + any(depth - 1) + ")";
      case 5: return pick({"SUM", "AVG", "FIRST", "LAST"}) + "(" + array(depth - 1) + ")";
      case 6: return "SLICE(" + array(depth - 1) + "," + any(depth - 1) + ")";
      default: return pick({"DIFF", "RATE", "ABS", "LOG", "MINUTE", "RUNNING_SUM"}) + "(" + any(depth - 1) + ")";
    }
  }

 private:
  std::string array(int depth) {
    if (depth == 0) return pick({"METRICS()", "[m1,m2]", "[n1]", "[[m1],METRICS('m')]"});
    switch (below(4)) {
      case 0: return "[" + series(depth - 1) + "," + any(depth - 1) + "]";
      case 1: return "SORT(" + array(depth - 1) + ",AVG,DESC," + any(depth - 1) + ")";
      case 2: return "SLICE(" + array(depth - 1) + "," + any(depth - 1) + "," + any(depth - 1) + ")";
      default: return "FILL(" + array(depth - 1) + "," + any(depth - 1) + ")";
    }
  }
  std::string any(int depth) {
    if (depth == 0) return pick({"0", "1", "-2.5", "1e300", "m1"});
    switch (below(5)) {
      case 0: return series(depth - 1);
      case 1: return array(depth - 1);
      case 2: return pick({"SUM", "STDDEV", "DATAPOINT_COUNT"}) + "(" + series(depth - 1) + ")";
      case 3: return "METRIC_COUNT(" + array(depth - 1) + ")";
      default: return "IF(" + any(0) + "," + any(0) + ")";
    }
  }
  std::size_t below(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random_); }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::mt19937 random_;
};

TEST(Math, ARandomExpressionHasAValueOfItsTypeOrAnError) {
  MathInput input{.range = {kMathStart, kMathStart + std::chrono::minutes(5), 60}, .metrics = {}};
  input.metrics["m1"] = series_of({1, 2, 3, 4, 5});
  input.metrics["m2"] = series_of({10, kNone, -4}, 120);
  int valid = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    const std::string text = RandomMath(seed).series(3);
    SCOPED_TRACE(text);
    try {
      const MathProgram program = MathProgram::compile({{"m1", ""}, {"m2", ""}, {"n1", ""}, {"e1", text}});
      const MathResults results = program.evaluate(input);
      ASSERT_EQ(results.at("e1").index(), static_cast<std::size_t>(program.type_of("e1")));
      ++valid;
    } catch (const wire::ApiError&) {
    }
  }
  EXPECT_GT(valid, 1000);
}

TEST(Math, TheDocumentedExampleOfIf) {
  MathInput input{.range = {kMathStart, kMathStart + std::chrono::minutes(5), 60}, .metrics = {}};
  input.metrics["m1"] = series_of({1, 1, 0, 0, kNone});
  input.metrics["m2"] = series_of({30, kNone, 0, 0, 30});
  input.metrics["m3"] = series_of({0, 0, 20, kNone, 20});
  const MathProgram program =
      MathProgram::compile({{"m1", ""}, {"m2", ""}, {"m3", ""}, {"e1", "IF(m1, m2, m3)"}});
  EXPECT_EQ(show(program.evaluate(input).at("e1")), "30 0 20 - -");
}

TEST(Math, ArraysAndTime) {
  EXPECT_EQ(math("FIRST([m1, m2])"), "1 2 3 4 5");
  EXPECT_EQ(math("LAST([m1, m3])"), "1 1 0 0 -");
  EXPECT_EQ(math("SLICE([m1, m2, m3], 1, 2)"), "[10 - 0 - -4]");
  EXPECT_EQ(math("SLICE([m1, m2], 0)"), "1 2 3 4 5");
  EXPECT_EQ(math("SLICE([m1], 5)"), "- - - - -");
  EXPECT_EQ(math("REMOVE_EMPTY([n1, m3])"), "[1 1 0 0 -]");
  EXPECT_EQ(math("SORT([m3, m1, n1, m2], MAX, DESC, 2)"), "[10 - 0 - -4][1 2 3 4 5]");
  EXPECT_EQ(math("SORT([m1, m3], AVG, ASC)"), "[1 1 0 0 -][1 2 3 4 5]");
  EXPECT_EQ(math("SUM(SEARCH('{NS} x', 'Sum', 60))"), "8 8 8 8 8");
  EXPECT_EQ(math("SUM([METRICS('m1'), METRICS('m2')])"), "11 2 3 4 1");
  EXPECT_EQ(math("[[m1, m3], m2]"), "[1 2 3 4 5][1 1 0 0 -][10 - 0 - -4]");
  EXPECT_EQ(math("m1 / METRIC_COUNT(METRICS('m'))"), "0.333333 0.666667 1 1.333333 1.666667");
  EXPECT_EQ(math("TIME_SERIES(4)"), "4 4 4 4 4");
  EXPECT_EQ(math("HOUR(m2)"), "8 8 8 8 8");
  EXPECT_EQ(math("MINUTE(m1)"), "0 1 2 3 4");
  EXPECT_EQ(math("DATE(m1) + MONTH(m1) * 100 + YEAR(m1) * 10000"), "20270115 20270115 20270115 20270115 20270115");
  EXPECT_EQ(math("DAY(m1)"), "5 5 5 5 5");  // a Friday
  EXPECT_EQ(math("EPOCH(m1) - EPOCH(m1)"), "0 0 0 0 0");
}

TEST(Math, SeriesOfUnlikePeriodsAreAlignedToTheLongerOne) {
  MathInput input{.range = {kMathStart, kMathStart + std::chrono::minutes(5), 60}, .metrics = {}};
  input.metrics["m1"] = series_of({2, 4, 6, 8});
  input.metrics["m2"] = series_of({10, 20}, 120);
  const MathProgram program = MathProgram::compile({{"m1", ""}, {"m2", ""}, {"e1", "m1 + m2"}});
  EXPECT_EQ(show(program.evaluate(input).at("e1")), "13 - 27 - -");
}

TEST(Math, Errors) {
  const std::string in = "Error in expression 'e1': ";
  EXPECT_EQ(math("FOO(m1)"), in + "Function 'FOO' not found");
  EXPECT_EQ(math("SELECT AVG(x) FROM y"), in + "Stoker does not support queries of Metrics Insights");
  EXPECT_EQ(math("METRIC_COUNT(m1)"), in + "Function 'METRIC_COUNT' does not accept a time series as argument 1");
  EXPECT_EQ(math("[m1, 1]"), in + "The elements of an array must be time series");
  EXPECT_EQ(math("ANOMALY_DETECTION_BAND(m1)"), in + "Stoker does not support the function 'ANOMALY_DETECTION_BAND'");
  EXPECT_EQ(math("m9 + 1"), in + "Id 'm9' not found");
  EXPECT_EQ(math("m1 +"), in + "Unexpected end of the expression");
  EXPECT_EQ(math("m1 ) 2"), in + "Unexpected character ')' at position 3");
  EXPECT_EQ(math("METRICS() + METRICS()"), in + "Unsupported operand types for +: two arrays of time series");
  EXPECT_EQ(math("RATE(3)"), in + "Function 'RATE' does not accept a scalar as argument 1");
  EXPECT_EQ(math("SUM(m1, m2)"), in + "Function 'SUM' does not accept 2 arguments");
  EXPECT_EQ(math("PERIOD(e2)"), in + "Function 'PERIOD' only accepts the id of a metric");
  EXPECT_EQ(math("FILL(m1, SOMETHING)"), in + "Argument 2 of function 'FILL' must be one of: REPEAT, LINEAR");
  EXPECT_EQ(math("e2", "e1"), "Error in expression 'e2': The expression refers to itself, directly or through others");
  EXPECT_EQ(math(std::string(100, '(') + "1" + std::string(100, ')')), in + "The expression is nested too deeply");
  EXPECT_EQ(math(std::string(100, '-') + "1"), in + "The expression is nested too deeply");
  EXPECT_EQ(math(std::string(3000, ' ') + "m1"), in + "The expression is longer than 2048 characters");
  EXPECT_EQ(math("'x"), in + "A quoted text has no end");
}

TEST(Math, AnExpressionThatWouldProduceTooManyPointsIsRejected) {
  MathInput input{.range = {kMathStart, kMathStart + std::chrono::hours(24 * 455), 1}, .metrics = {}};
  input.metrics["m1"] = series_of({1, 2}, 1);
  for (const char* text : {"TIME_SERIES(1)", "FILL(m1, 0)", "HOUR(m1)", "IF(1, 2, m1)"}) {
    const MathProgram program = MathProgram::compile({{"m1", ""}, {"e1", text}});
    EXPECT_THROW(program.evaluate(input), wire::ApiError) << text;
  }
}

TEST(Math, TypesAreKnownBeforeThereIsData) {
  const MathProgram program = MathProgram::compile(
      {{"m1", ""}, {"a", "METRICS()"}, {"s", "SUM(m1)"}, {"e", "SLICE(a, 0) * s"}, {"f", "SEARCH('x', 'Sum')"}});
  EXPECT_EQ(program.type_of("m1"), MathType::Series);
  EXPECT_EQ(program.type_of("a"), MathType::Array);
  EXPECT_EQ(program.type_of("s"), MathType::Scalar);
  EXPECT_EQ(program.type_of("e"), MathType::Series);
  EXPECT_TRUE(program.uses_search());
}

bool finds(const std::string& query, std::string_view space, std::string_view name,
           const std::vector<std::pair<std::string, std::string>>& dimensions) {
  return parse_search(query).matches({space, name, dimensions});
}

TEST(MetricSearch, TokensOfANameAreItsPartsAndTheWhole) {
  EXPECT_EQ(search_tokens("CustomCount1"), (std::vector<std::string>{"customcount1", "custom", "count", "1"}));
  EXPECT_EQ(search_tokens("SDBFailure_Rate"),
            (std::vector<std::string>{"sdbfailure_rate", "sdb", "failure", "rate"}));
}

TEST(MetricSearch, SchemasAndTerms) {
  const std::vector<std::pair<std::string, std::string>> queue{{"QueueName", "jobs-high"}};
  EXPECT_TRUE(finds("{AWS/SQS,QueueName} MetricName=\"NumberOfMessagesSent\"", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_FALSE(finds("{AWS/SQS,QueueName} MetricName=\"Messages\"", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_TRUE(finds("{AWS/SQS,QueueName} messages", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_FALSE(finds("{AWS/SQS} messages", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_FALSE(finds("{AWS/SQS,QueueName,Other} messages", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_TRUE(finds("QueueName=jobs", "AWS/SQS", "X", queue));
  EXPECT_FALSE(finds("QueueName=\"jobs\"", "AWS/SQS", "X", queue));
  EXPECT_TRUE(finds("sent OR (received NOT high)", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_FALSE(finds("received OR (sent NOT high)", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_TRUE(finds("number AND sent", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_FALSE(finds("number absent", "AWS/SQS", "NumberOfMessagesSent", queue));
  EXPECT_TRUE(finds("{AWS/SQS,QueueName}", "AWS/SQS", "X", queue));
}

TEST(MetricSearch, InvalidQueriesAreRejected) {
  for (const char* text : {"", "{", "{}", "\"x", "(x", "x)", "a=", "NOT"}) {
    EXPECT_THROW(parse_search(text), MathError) << text;
  }
}

}  // namespace
}  // namespace services::cloudwatch
