// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_identifiers.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

template <class Fn>
bool rejects(Fn&& fn) {
  try {
    fn();
  } catch (const wire::ApiError& error) {
    return error.code() == "ValidationException" && !error.message().empty();
  }
  return false;
}

TEST(JobIdentifiers, IdsAreShortAndPlain) {
  for (const char* id : {"a", "a.b_c-D9", "...", "-"}) EXPECT_TRUE(is_job_id(id)) << id;
  EXPECT_TRUE(is_job_id(std::string(64, 'x')));
  for (const std::string& id : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                std::string("a b"), std::string("ä"), std::string(65, 'x'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(is_job_id(id)) << id;
    EXPECT_TRUE(rejects([&] { check_job_id(id); })) << id;
  }
  EXPECT_TRUE(is_job_id(new_job_id()));
  EXPECT_NE(new_job_id(), new_job_id());
}

TEST(JobIdentifiers, AnyIdempotencyKeyStandsForAnId) {
  EXPECT_EQ(id_of_idempotency_key("order-7"), "order-7");
  const std::string derived = id_of_idempotency_key("order 7/ä");
  EXPECT_TRUE(is_job_id(derived));
  EXPECT_EQ(derived, id_of_idempotency_key("order 7/ä"));
  EXPECT_NE(derived, id_of_idempotency_key("order 8/ä"));
}

TEST(JobIdentifiers, PrioritiesAreOneDigit) {
  EXPECT_EQ(parse_priority("0"), 0);
  EXPECT_EQ(parse_priority("9"), 9);
  for (const char* text : {"", "10", "-1", "1.5", "high", "99999999999999999999"}) {
    EXPECT_TRUE(rejects([&] { parse_priority(text); })) << text;
  }
}

TEST(JobIdentifiers, MetadataIsASmallObjectOfStrings) {
  EXPECT_EQ(parse_metadata(R"({"a":"1","b":""})"), (JobMetadata{{"a", "1"}, {"b", ""}}));
  for (const char* text : {"", "[]", "{", R"({"a":1})", R"({"":"x"})", R"({"a":{"b":"c"}})", R"({"a":"\u0000"})"}) {
    EXPECT_TRUE(rejects([&] { parse_metadata(text); })) << text;
  }
  JobMetadata many;
  for (int i = 0; i < 50; ++i) many["k" + std::to_string(i)] = "v";
  check_metadata(many);
  many["one more"] = "v";
  EXPECT_TRUE(rejects([&] { check_metadata(many); }));
  EXPECT_TRUE(rejects([&] { check_metadata({{"a", std::string(2048, 'x')}}); }));
  check_metadata({{"a", std::string(2047, 'x')}});
  EXPECT_EQ(parse_metadata(metadata_json({{"q\"", "ü\n"}})), (JobMetadata{{"q\"", "ü\n"}}));
}

TEST(JobIdentifiers, WebhooksAreUrlsThatMayBeReached) {
  check_webhook_url("https://example.com/hook", false);
  check_webhook_url("http://127.0.0.1:8000/", true);
  for (const char* url : {"", "ftp://example.com", "example.com", "http://user:secret@example.com/",
                          "http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest"}) {
    EXPECT_TRUE(rejects([&] { check_webhook_url(url, false); })) << url;
  }
  EXPECT_TRUE(rejects([&] { check_webhook_url("http://169.254.169.254/latest", true); }));
}

TEST(JobIdentifiers, FileNamesLeadNowhere) {
  EXPECT_EQ(safe_file_name("scan 1.png"), "scan 1.png");
  EXPECT_EQ(safe_file_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(safe_file_name("C:\\Users\\x\\ä.pdf"), "ä.pdf");
  EXPECT_EQ(safe_file_name(".."), "");
  EXPECT_EQ(safe_file_name("a/.."), "");
  EXPECT_EQ(safe_file_name(".bashrc"), "bashrc");
  EXPECT_EQ(safe_file_name("a\r\nb\x7f\x01.png"), "ab.png");
  EXPECT_EQ(safe_file_name("a\xff.png"), "a.png");
  EXPECT_EQ(safe_file_name(std::string("a\0b", 3)), "ab");
  const std::string long_name = safe_file_name([] {
    std::string name;
    for (int i = 0; i < 300; ++i) name += "ä";
    return name;
  }());
  EXPECT_LE(long_name.size(), kMaxFileName);
  EXPECT_TRUE(base::is_utf8(long_name));
  EXPECT_EQ(default_file_name("image/png; x=y"), "input.png");
  EXPECT_EQ(default_file_name(""), "input");
}

TEST(JobIdentifiers, FileNamesOfHeadersAreRead) {
  EXPECT_EQ(disposition_file_name("attachment; filename=a.png"), "a.png");
  EXPECT_EQ(disposition_file_name("attachment; filename=\"a \\\"b\\\".png\"; x=y"), "a \"b\".png");
  EXPECT_EQ(disposition_file_name("attachment; filename=a; filename*=UTF-8''%C3%A4.png"), "ä.png");
  EXPECT_EQ(disposition_file_name("attachment; filename=a; filename*=UTF-8''%ZZ"), "a");
  EXPECT_EQ(disposition_file_name("attachment"), std::nullopt);
  EXPECT_EQ(disposition_file_name("attachment; filename"), std::nullopt);
}

}  // namespace
}  // namespace services::pipelines
