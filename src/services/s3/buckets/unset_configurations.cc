// SPDX-License-Identifier: Apache-2.0
// Configurations that a bucket has several of, by id: analytics, Intelligent-Tiering, inventory and metrics. Stoker
// supports none, so these operations find nothing.
#include "services/s3/operations.h"

#include "services/s3/buckets/bucket_row.h"
#include "services/s3/errors.h"
#include "shapes/s3/bucket_configurations.h"

namespace services::s3 {
namespace {

constexpr char kAnalytics[] = "s3:GetAnalyticsConfiguration";
constexpr char kIntelligentTiering[] = "s3:GetIntelligentTieringConfiguration";
constexpr char kInventory[] = "s3:GetInventoryConfiguration";
constexpr char kMetrics[] = "s3:GetMetricsConfiguration";
constexpr char kPutAnalytics[] = "s3:PutAnalyticsConfiguration";
constexpr char kPutIntelligentTiering[] = "s3:PutIntelligentTieringConfiguration";
constexpr char kPutInventory[] = "s3:PutInventoryConfiguration";
constexpr char kPutMetrics[] = "s3:PutMetricsConfiguration";

template <class Output, class Request, const char* kAction>
Output find_none(Call& call, const Request& request) {
  find_bucket(call, request.Bucket, {.action = kAction}, request.ExpectedBucketOwner);
  throw wire::ApiError("NoSuchConfiguration", "The specified configuration does not exist.");
}

template <class Request, const char* kAction>
void delete_none(Call& call, const Request& request) {
  find_bucket(call, request.Bucket, {.action = kAction}, request.ExpectedBucketOwner);
  throw wire::ApiError("NoSuchConfiguration", "The specified configuration does not exist.");
}

template <class Output, class Request, const char* kAction>
Output list_none(Call& call, const Request& request) {
  find_bucket(call, request.Bucket, {.action = kAction}, request.ExpectedBucketOwner);
  if (request.ContinuationToken) {
    throw invalid_argument("The continuation token provided is incorrect", "continuation-token");
  }
  Output output;
  output.IsTruncated = false;
  return output;
}

}  // namespace

#define S3_GET(Name, action) \
  operation<&find_none<shapes::s3::Name##Output, shapes::s3::Name##Request, action>>(#Name, Access::Read, \
                                                                                     shapes::s3::k##Name##Http)
#define S3_LIST(Name, action) \
  operation<&list_none<shapes::s3::Name##Output, shapes::s3::Name##Request, action>>(#Name, Access::Read, \
                                                                                     shapes::s3::k##Name##Http)
#define S3_DELETE(Name, action) \
  operation<&delete_none<shapes::s3::Name##Request, action>>(#Name, Access::Write, shapes::s3::k##Name##Http)

std::vector<ObjectOperation> unset_configuration_operations() {
  return {
      S3_GET(GetBucketAnalyticsConfiguration, kAnalytics),
      S3_LIST(ListBucketAnalyticsConfigurations, kAnalytics),
      S3_GET(GetBucketIntelligentTieringConfiguration, kIntelligentTiering),
      S3_LIST(ListBucketIntelligentTieringConfigurations, kIntelligentTiering),
      S3_GET(GetBucketInventoryConfiguration, kInventory),
      S3_LIST(ListBucketInventoryConfigurations, kInventory),
      S3_GET(GetBucketMetricsConfiguration, kMetrics),
      S3_LIST(ListBucketMetricsConfigurations, kMetrics),
      S3_DELETE(DeleteBucketAnalyticsConfiguration, kPutAnalytics),
      S3_DELETE(DeleteBucketIntelligentTieringConfiguration, kPutIntelligentTiering),
      S3_DELETE(DeleteBucketInventoryConfiguration, kPutInventory),
      S3_DELETE(DeleteBucketMetricsConfiguration, kPutMetrics),
  };
}

}  // namespace services::s3
