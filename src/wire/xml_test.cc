// SPDX-License-Identifier: Apache-2.0
#include "wire/xml.h"

#include <gmock/gmock.h>

#include "wire/operation.h"
#include "wire/test_shapes.h"

namespace wire {
namespace {

using test::Everything;

Everything read_xml(std::string_view text) {
  Everything value;
  read_xml(type_of<Everything>(), text, &value);
  return value;
}

std::string write_xml(const Everything& value) {
  std::string out;
  write_xml_root({"Root", "http://x/"}, type_of<Everything>(), &value, out);
  return out;
}

bool rejects_xml(std::string_view text) {
  try {
    read_xml(text);
  } catch (const ApiError& error) {
    return error.code() == "MalformedXML";
  }
  return false;
}

Everything every_xml_member() {
  Everything value;
  value.Name = "a<b>&\"c\"\r\n ";
  value.Flag = false;
  value.When = base::from_millis(1793871010000);
  value.Bytes = base::Blob{"\xFF"};
  value.Words = {{"a", ""}};
  value.Flat = {{"x", "y"}};
  value.Grid = {{{1, 2}, {}}};
  value.Tags = {{{"k", "v"}, {"l", "w"}}};
  value.Leaves = {{{"x", {"id", 7}}}};
  value.Self = Everything{.Name = "inner"};
  value.Mark = "m\"";
  return value;
}

TEST(Xml, AcceptsOneRootWithTheExpectedName) {
  Everything value;
  const TypeInfo& type = type_of<Everything>();
  for (const char* good :
       {"<R/>", "<x:R xmlns:x=\"http://x/\"/>", "<!-- --><R></R><!-- -->", "<?xml version=\"1.0\"?>\n<R/>"}) {
    EXPECT_NO_THROW(read_xml(type, good, &value, "R")) << good;
  }
  for (const char* bad : {"<Q/>", "<R/><R/>", "<r/>", "<RR/>"}) {
    EXPECT_THROW(read_xml(type, bad, &value, "R"), ApiError) << bad;
  }
  EXPECT_NO_THROW(read_xml(type, "<Q/>", &value));
}

TEST(Xml, ReferencesMustResolve) {
  EXPECT_EQ(read_xml("<R><Name>&lt;&#x41;&#66;&#1;&apos;</Name></R>").Name, "<AB\x01'");
  EXPECT_EQ(read_xml("<R><Name><![CDATA[&a;]]><!-- &b; --></Name></R>").Name, "&a;");
  for (const char* bad : {"&nothing;", "&", "&;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;", "&#x41", "& lt;",
                          "&#99999999999999999999;"}) {
    EXPECT_TRUE(rejects_xml("<R><Name>" + std::string(bad) + "</Name></R>")) << bad;
    EXPECT_TRUE(rejects_xml("<R a=\"" + std::string(bad) + "\"/>")) << bad;
  }
}

TEST(Xml, AnUnwrappedMemberIsTheTextOfTheRoot) {
  std::string some, none;
  const test::Alone word{.Word = "a<b"}, empty;
  write_xml_root({"Word", "http://x/"}, type_of<test::Alone>(), &word, some);
  write_xml_root({"Word", "http://x/"}, type_of<test::Alone>(), &empty, none);
  EXPECT_EQ(some, R"(<Word xmlns="http://x/">a&lt;b</Word>)");
  EXPECT_EQ(none, R"(<Word xmlns="http://x/"></Word>)");
}

TEST(Xml, ReadsBackWhatItWrote) { EXPECT_EQ(read_xml(write_xml(every_xml_member())), every_xml_member()); }

TEST(Xml, WritesEveryKind) {
  EXPECT_EQ(write_xml(every_xml_member()),
            "<Root xmlns=\"http://x/\" mark=\"m&quot;\"><Name>a&lt;b&gt;&amp;&quot;c&quot;&#xD;\n </Name>"
            "<Flag>false</Flag><When>2026-11-05T09:30:10.000Z</When><Bytes>/w==</Bytes>"
            "<Words><member>a</member><member></member></Words><FlatItem>x</FlatItem><FlatItem>y</FlatItem>"
            "<Grid><row><n>1</n><n>2</n></row><row></row></Grid>"
            "<Tag><Key>k</Key><Value>v</Value></Tag><Tag><Key>l</Key><Value>w</Value></Tag>"
            "<Leaves><entry><key>x</key><value><Id>id</Id><Number>7</Number></value></entry></Leaves>"
            "<Self><Name>inner</Name></Self></Root>");
}

TEST(Xml, EscapesCharactersThatXmlDoesNotAllowAsAmazonDoes) {
  std::string out;
  write_xml_text(std::string_view("\x01\x1F\t\0", 4), out);
  EXPECT_EQ(out, "&#x1;&#x1F;\t&#x0;");
}

TEST(Xml, IgnoresPrefixesCommentsAndCdata) {
  auto value =
      read_xml("<?xml version=\"1.0\"?><x:R xmlns:x=\"u\"><!-- c --><x:Name><![CDATA[<a>]]>b</x:Name><Other/></x:R>");
  EXPECT_EQ(value.Name, "<a>b");
}

TEST(Xml, KeepsSpaceInTextAndIgnoresItAroundNumbers) {
  EXPECT_EQ(read_xml("<R><Name> </Name></R>").Name, " ");
  EXPECT_EQ(read_xml("<R><Small> 3\n</Small></R>").Small, 3);
}

TEST(Xml, RejectsDocumentTypeDeclarations) {
  EXPECT_TRUE(rejects_xml("<!DOCTYPE R [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><R><Name>&b;</Name></R>"));
  EXPECT_TRUE(rejects_xml("<!DOCTYPE R SYSTEM \"file:///etc/passwd\"><R/>"));
}

TEST(Xml, RejectsMalformedXmlAndInvalidValues) {
  for (const char* text : {"<R>", "", "x", "<R><Small>x</Small></R>", "<R><Name><b/></Name></R>",
                           "<R><Name>\xFF</Name></R>", "<R><Tag><Key>k</Key></Tag></R>"}) {
    EXPECT_TRUE(rejects_xml(text)) << text;
  }
}

TEST(Xml, DepthIsBounded) {
  std::string open, close;
  for (int i = 0; i < 100'000; ++i) {
    open += "<Self>";
    close += "</Self>";
  }
  EXPECT_TRUE(rejects_xml("<R>" + open + close + "</R>"));
}

TEST(Xml, ReportsMissingRequiredMembers) {
  Everything value;
  auto missing = read_xml(type_of<Everything>(), "<R><Rows><member><Id>a</Id></member><member/></Rows></R>", &value);
  std::vector<std::string> paths;
  for (const Violation& violation : missing) paths.push_back(violation.path);
  EXPECT_THAT(paths, testing::ElementsAre("rows.2.member.id", "name"));
}

}  // namespace
}  // namespace wire
