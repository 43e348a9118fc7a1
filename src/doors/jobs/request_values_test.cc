// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/request_values.h"

#include <gtest/gtest.h>

#include "doors/jobs/problem.h"
#include "doors/jobs/route.h"

namespace doors::jobs {
namespace {

using std::chrono::seconds;

std::optional<base::Duration> wait_of(const std::string& prefer) { return preferred_wait({{"Prefer", prefer}}); }

TEST(RequestValues, AWaitIsBoundedAndNonsenseIsIgnored) {
  EXPECT_EQ(wait_of("wait=30"), seconds(30));
  EXPECT_EQ(wait_of("respond-async, Wait = 5;x=y"), seconds(5));
  EXPECT_EQ(wait_of("wait=600"), seconds(60));
  EXPECT_EQ(wait_of("wait=0"), seconds(0));
  for (const char* text : {"", "wait", "wait=", "wait=-1", "wait=x", "wait=1e9", "wait=99999999999999999999", ";;;"}) {
    EXPECT_EQ(wait_of(text), std::nullopt) << text;
  }
}

TEST(RequestValues, AQueryHasKnownNamesOnce) {
  EXPECT_EQ(read_query("a=1&b=%20+x&&c", {"a", "b", "c"}), (Query{{"a", "1"}, {"b", "  x"}, {"c", ""}}));
  EXPECT_EQ(read_query("m.x=1", {}, "m."), (Query{{"m.x", "1"}}));
  EXPECT_EQ(read_query("X-Amz-Signature=1", {}), Query{});
  for (const char* text : {"d=1", "a=1&a=2", "a=%zz", "a=%ff", "a=%00", "="}) {
    EXPECT_THROW(read_query(text, {"a"}), Problem) << text;
  }
}

TEST(RequestValues, TheIdOfTheQueryWinsOverTheIdempotencyKey) {
  const http::RequestHead head{"POST", "/pipelines/p/jobs?id=mine&metadata.k=v",
                               {{"Idempotency-Key", "other"}, {"Content-Disposition", "x; filename=\"../b.png\""}}};
  const JobFields fields = read_job_fields(head, false);
  EXPECT_EQ(fields.id, "mine");
  EXPECT_EQ(fields.filename, "b.png");
  EXPECT_EQ(fields.metadata.at("k"), "v");
}

TEST(JobRoutes, EachPathHasItsMethods) {
  EXPECT_EQ(find_route("GET", "/jobs/a%2Eb/result").found.at(0).job, "a.b");
  EXPECT_EQ(find_route("POST", "/jobs/a/deliveries/7/resend").found.at(0).delivery, "7");
  EXPECT_EQ(find_route("PUT", "/jobs/a").methods, (std::vector<std::string>{"GET"}));
  for (const char* path : {"", "/", "/job", "/jobs/", "/jobs//result", "/jobs/a/", "/pipelines", "/pipelines/a/b",
                           "/jobs/%zz", "jobs"}) {
    EXPECT_TRUE(find_route("GET", path).methods.empty()) << path;
  }
  EXPECT_TRUE(is_job_path("/jobs"));
  EXPECT_TRUE(is_job_path("/pipelines/x"));
  EXPECT_FALSE(is_job_path("/jobsite/x"));
  EXPECT_FALSE(is_job_path("/"));
}

}  // namespace
}  // namespace doors::jobs
