// SPDX-License-Identifier: Apache-2.0
#include "services/s3/module.h"

#include "services/s3/buckets/bucket_policy.h"
#include "services/s3/buckets/cors_rules.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/buckets/notification_operations.h"
#include "services/s3/buckets/subscriptions.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/expiry.h"
#include "services/s3/operations.h"
#include "services/s3/schema.h"
#include "services/s3/unsupported_subresources.h"
#include "wire/xml.h"

namespace services::s3 {
namespace {

std::vector<ObjectOperation> all_operations() {
  std::vector<ObjectOperation> all;
  for (auto* rows : {&bucket_operations, &bucket_settings_operations, &bucket_tagging_operations, &cors_operations,
                     &lifecycle_operations, &lock_configuration_operations, &notification_operations, &policy_operations, &unset_settings_operations,
                     &unset_configuration_operations, &copy_object_operations, &delete_object_operations,
                     &get_object_operations, &list_objects_operations, &list_versions_operations,
                     &object_acl_operations, &object_attributes_operations, &object_lock_operations,
                     &object_tagging_operations, &post_object_operations, &put_object_operations,
                     &complete_upload_operations, &create_upload_operations, &list_parts_operations,
                     &list_uploads_operations, &upload_part_operations, &upload_part_copy_operations}) {
    for (ObjectOperation& row : rows()) all.push_back(std::move(row));
  }
  return all;
}

Service make_service() {
  static const std::vector<wire::ErrorSpec> errors = error_table();
  Service s3;
  s3.wire = {.name = "s3",
             .api_version = "2006-03-01",
             .xml_namespace = "http://s3.amazonaws.com/doc/2006-03-01/",
             .errors = errors};
  s3.signing_name = "s3";
  s3.protocols = {wire::Protocol::RestXml};
  s3.body_limit = wire::kMaxXmlBytes;
  for (ObjectOperation& row : all_operations()) s3.operations.push_back(std::move(row.plain));
  s3.violation_error = &violation_error;
  return s3;
}

void add_memory(Locals& locals, bool test_events) {
  locals.add<TestEvents>(TestEvents{test_events});
  locals.add<BucketPolicyCache>();
  locals.add<LifecycleCache>();
  locals.add<SubscriptionCache>();
  locals.add<DeliveryWarnings>();
}

std::vector<Gauge> read_gauges(Call& call) {
  const std::int64_t buckets = call.tx.query("SELECT count(*) FROM s3_buckets").integer();
  return {{.name = "stoker_s3_buckets", .help = "Buckets of all accounts.", .value = static_cast<double>(buckets)}};
}

}  // namespace

ObjectTable object_table() { return {all_operations(), unsupported_subresources(), &cors_headers}; }

Module module(const Options& options) {
  Module s3;
  s3.service = make_service();
  s3.internal_operations = announce_operations();
  s3.migrations = migrations();
  s3.add_memory = [test_events = options.test_events](Locals& locals) { add_memory(locals, test_events); };
  s3.loops = {expiry_loop()};
  s3.gauges = &read_gauges;
  return s3;
}

}  // namespace services::s3
