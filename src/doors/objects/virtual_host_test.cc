// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/virtual_host.h"

#include <gtest/gtest.h>

namespace doors::objects {
namespace {

std::string bucket(std::string_view host, const std::vector<std::string>& domains = {}) {
  return bucket_of_host(host, domains).value_or("(path)");
}

TEST(VirtualHost, ABucketPrecedesLocalhostOrS3) {
  EXPECT_EQ(bucket("photos.localhost:4566"), "photos");
  EXPECT_EQ(bucket("my.photos.localhost"), "my.photos");
  EXPECT_EQ(bucket("photos.s3.us-east-1.amazonaws.com"), "photos");
  EXPECT_EQ(bucket("photos.s3.lan:80"), "photos");
  EXPECT_EQ(bucket("a.s3.b.s3.lan"), "a.s3.b");
  EXPECT_EQ(bucket("PHOTOS.LocalHost"), "photos");
  EXPECT_EQ(bucket("photos.localhost."), "photos");
}

TEST(VirtualHost, AnAddressOrABareHostNamesNoBucket) {
  for (const char* host : {"localhost", "localhost:4566", "127.0.0.1:4566", "10.0.0.1", "[::1]:4566", "[::1]", "stoker",
                           "stoker.lan:4566", "s3.us-east-1.amazonaws.com", "s3.localhost:4566", ".localhost", "", ":",
                           ".s3.lan", "localhost."}) {
    EXPECT_EQ(bucket(host), "(path)") << host;
  }
}

TEST(VirtualHost, ConfiguredDomainsNameBuckets) {
  const std::vector<std::string> domains = {"Objects.Example.com", "s3.localhost", "box"};
  EXPECT_EQ(bucket("photos.objects.example.com:443", domains), "photos");
  EXPECT_EQ(bucket("a.b.objects.example.com", domains), "a.b");
  EXPECT_EQ(bucket("objects.example.com", domains), "(path)");
  EXPECT_EQ(bucket("photosobjects.example.com", domains), "(path)");
  EXPECT_EQ(bucket("s3.localhost", domains), "(path)");
  EXPECT_EQ(bucket("photos.s3.localhost", domains), "photos");
  EXPECT_EQ(bucket("photos.box:4566", domains), "photos");
}

}  // namespace
}  // namespace doors::objects
