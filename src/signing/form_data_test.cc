// SPDX-License-Identifier: Apache-2.0
#include "signing/form_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace signing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Pair;

constexpr const char* kType = "multipart/form-data; boundary=----WebKitFormBoundaryX";
const std::string kLine = "------WebKitFormBoundaryX";

std::string field(const std::string& name, const std::string& value) {
  return kLine + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}

std::string file(const std::string& bytes) {
  return kLine +
         "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\n" +
         bytes + "\r\n";
}

struct Parsed {
  std::vector<std::pair<std::string, std::string>> fields;
  FormFile file;
  std::string bytes;
};

Parsed parse(std::string_view body, std::size_t step = std::string_view::npos, std::string_view type = kType) {
  FormData form(type);
  Parsed out;
  while (!body.empty()) {
    std::string_view piece = body.substr(0, step);
    body.remove_prefix(piece.size());
    while (!piece.empty()) {
      const bool begun = form.file_begun();
      const std::string_view bytes = form.next(piece);
      EXPECT_TRUE(begun || bytes.empty());
      out.bytes += bytes;
    }
  }
  form.finish();
  EXPECT_TRUE(form.done());
  out.fields.assign(form.fields().begin(), form.fields().end());
  out.file = form.file();
  return out;
}

BodyError form_error(std::string_view body, std::string_view type = kType) {
  try {
    parse(body, std::string_view::npos, type);
  } catch (const BodyError& error) {
    return error;
  }
  return BodyError(200, "none", "it was accepted");
}

TEST(FormData, ParsesFieldsAndFileHoweverTheBodyIsCut) {
  const std::string bytes = base::random_bytes(5000) + "\r\n--\r\n------WebKitFormBoundary\r\r\n\r\n--" + kLine;
  const std::string body = field("key", "user/${filename}") + field("empty", "") + field("X-Amz-Date", "2\r\n-") +
                           file(bytes) + kLine + "--\r\n";
  for (std::size_t step : {std::size_t(1), std::size_t(2), std::size_t(13), std::size_t(1000), std::string::npos}) {
    const Parsed parsed = parse(body, step);
    EXPECT_THAT(parsed.fields,
                ElementsAre(Pair("key", "user/${filename}"), Pair("empty", ""), Pair("X-Amz-Date", "2\r\n-")));
    EXPECT_EQ(parsed.file.name, "a b.txt");
    EXPECT_EQ(parsed.file.content_type, "text/plain");
    EXPECT_TRUE(parsed.bytes == bytes) << "in steps of " << step;
  }
}

TEST(FormData, AcceptsAnEmptyFile) {
  EXPECT_EQ(parse(file("") + kLine + "--").bytes, "");
  EXPECT_EQ(parse(file("\r\n") + kLine + "--").bytes, "\r\n");
}

TEST(FormData, IgnoresEverythingAfterTheFile) {
  const Parsed parsed = parse(field("key", "k") + file("bytes") + field("late", "1") + file("more") + kLine + "--\r\n");
  EXPECT_EQ(parsed.bytes, "bytes");
  EXPECT_EQ(parsed.fields.size(), 1u);
  EXPECT_EQ(parse(file("bytes") + kLine + "--garbage").bytes, "bytes");
}

Parsed parse_with_fields_after(std::string_view body, std::size_t step) {
  FormData form(kType, FormData::AfterFile::Fields);
  Parsed out;
  while (!body.empty()) {
    std::string_view piece = body.substr(0, step);
    body.remove_prefix(piece.size());
    while (!piece.empty()) out.bytes += form.next(piece);
  }
  form.finish();
  for (const auto& [name, value] : form.fields()) out.fields.emplace_back(name, value);
  return out;
}

TEST(FormData, ReadsFieldsAfterTheFileWhereThatIsWanted) {
  const std::string body = field("id", "a") + file("bytes") + field("priority", "7") + field("x", "") + kLine + "--\r\n";
  for (std::size_t step : {std::size_t{1}, std::size_t{7}, body.size()}) {
    const Parsed parsed = parse_with_fields_after(body, step);
    EXPECT_EQ(parsed.bytes, "bytes");
    EXPECT_THAT(parsed.fields, ElementsAre(Pair("id", "a"), Pair("priority", "7"), Pair("x", "")));
  }
}

TEST(FormData, TheEndOfAFormWithFieldsAfterTheFileIsRequired) {
  EXPECT_THROW(parse_with_fields_after(file("bytes") + field("priority", "7"), 1000), BodyError);
  EXPECT_THROW(parse_with_fields_after(file("a") + file("b") + kLine + "--\r\n", 1000), BodyError);
  EXPECT_THROW(parse_with_fields_after(file("a") + field("x", std::string(30000, 'x')) + kLine + "--\r\n", 1000),
               BodyError);
}

TEST(FormData, FieldNamesAreCaseInsensitiveAndFileNamesHaveNoFolders) {
  auto name_of = [](const std::string& disposition) {
    return parse(kLine + "\r\ncontent-disposition: Form-Data; " + disposition + "\r\n\r\nx\r\n" + kLine + "--")
        .file.name;
  };
  EXPECT_EQ(name_of("name=\"FILE\"; filename=\"C:\\Users\\me\\cat.jpg\""), "cat.jpg");
  EXPECT_EQ(name_of("filename=\"a/b/c.txt\"; name=file"), "c.txt");
  EXPECT_EQ(name_of("name=\"file\"; filename=\"say \\\"hi\\\"; name=x.txt\""), "say \"hi\"; name=x.txt");
  EXPECT_EQ(name_of("name=\"file\"; filename=plain.txt"), "plain.txt");
  EXPECT_EQ(name_of("name=\"file\""), "");
}

TEST(FormData, RejectsARepeatedField) {
  const BodyError error = form_error(field("policy", "signed") + field("POLICY", "mine") + file("x") + kLine + "--");
  EXPECT_EQ(error.code(), "InvalidArgument");
  EXPECT_THAT(error.details(), Contains(Pair("ArgumentName", "POLICY")));
}

TEST(FormData, QuotesMustBeClosed) {
  EXPECT_THROW(FormData("multipart/form-data; boundary=\"cut"), BodyError);
  EXPECT_THROW(parse(kLine + "\r\nContent-Disposition: form-data; name=\"file\r\n\"; filename=\"a\"\r\n\r\nx\r\n" + kLine +
                     "--\r\n"),
               BodyError);
}

TEST(FormData, ABoundaryMayBeQuotedAndPadded) {
  const std::string body = "--a b:c \t\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n--a b:c--";
  EXPECT_EQ(parse(body, 1, "Multipart/Form-Data; charset=utf-8; boundary=\"a b:c\"").bytes, "x");
}

TEST(FormData, IgnoresEverythingBeforeTheFirstBoundary) {
  EXPECT_EQ(parse("\r\n" + file("x") + kLine + "--").bytes, "x");
  EXPECT_EQ(parse("hello\r\n" + file("x") + kLine + "--", 1).bytes, "x");
}

TEST(FormData, RequiresAFormWithABoundary) {
  for (const char* type : {"", "application/json", "multipart/mixed; boundary=x", "multipart/form-datax"}) {
    const BodyError error = form_error("", type);
    EXPECT_EQ(error.status(), 412) << type;
    EXPECT_EQ(error.code(), "PreconditionFailed");
  }
  for (const std::string& type : {std::string("multipart/form-data"), std::string("multipart/form-data; boundary="),
                                  "multipart/form-data; boundary=" + std::string(71, 'x')}) {
    EXPECT_EQ(form_error("", type).code(), "MalformedPOSTRequest") << type;
  }
}

TEST(FormData, RejectsTruncatedAndMalformedBodies) {
  const std::string whole = field("key", "k") + file("bytes") + kLine + "--";
  ASSERT_EQ(parse(whole).bytes, "bytes");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(form_error(whole.substr(0, size)).code(), "MalformedPOSTRequest") << size;
  }
  for (const std::string& body :
       {kLine + "\r\n\r\nx\r\n" + kLine + "--",
        kLine + "\r\nContent-Disposition: form-data\r\n\r\nx\r\n" + kLine + "--",
        kLine + "\r\nContent-Disposition: attachment; name=file\r\n\r\nx\r\n" + kLine + "--",
        kLine + "x\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n" + kLine + "--", file("x") + kLine + "-x",
        std::string("hello"),
        kLine + "\r\nContent-Disposition: form-data; name=file; x=" + std::string(10'000, 'x') + "\r\n\r\n"}) {
    EXPECT_EQ(form_error(body).code(), "MalformedPOSTRequest") << body;
  }
}

TEST(FormData, RejectsAFormWithoutAFile) {
  const BodyError error = form_error(field("key", "k") + kLine + "--\r\n");
  EXPECT_EQ(error.code(), "InvalidArgument");
  EXPECT_STREQ(error.what(), "POST requires exactly one file upload per request.");
  EXPECT_THAT(error.details(), ElementsAre(Pair("ArgumentName", "file"), Pair("ArgumentValue", "0")));
}

TEST(FormData, FieldsBeforeTheFileAreBounded) {
  EXPECT_EQ(parse(field("x-ignore", std::string(20'000, 'x')) + file("bytes") + kLine + "--").bytes, "bytes");
  for (const std::string& body : {field("x-ignore", std::string(20'480, 'x')), std::string(100'000, 'x')}) {
    const BodyError error = form_error(body + file("bytes") + kLine + "--");
    EXPECT_EQ(error.code(), "MaxPostPreDataLengthExceeded");
    EXPECT_THAT(error.details(), Contains(Pair("MaxPostPreDataLengthBytes", "20480")));
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += field("a" + std::to_string(i), "");
  EXPECT_EQ(form_error(many + file("bytes") + kLine + "--").code(), "MaxPostPreDataLengthExceeded");
  EXPECT_EQ(parse(file(std::string(1'000'000, '\r')) + kLine + "--").bytes.size(), 1'000'000u);
}

}  // namespace
}  // namespace signing
