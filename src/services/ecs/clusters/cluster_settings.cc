// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/cluster_settings.h"

#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

void check_execute_command(const ExecuteCommandConfiguration& command) {
  const std::string logging = command.logging.value_or("DEFAULT");
  if (command.logConfiguration && logging != "OVERRIDE") {
    throw invalid_parameter("You must set logging to 'OVERRIDE' when you supply a log configuration.");
  }
  if (logging == "OVERRIDE") {
    const auto& log = command.logConfiguration;
    if (!log || (!log->cloudWatchLogGroupName && !log->s3BucketName)) {
      throw invalid_parameter(
          "A CloudWatch log group name or S3 bucket name must be specified when overriding the default log "
          "configuration.");
    }
    if (log->cloudWatchEncryptionEnabled.value_or(false)) {
      throw unsupported("logConfiguration.cloudWatchEncryptionEnabled", "there is no Key Management Service");
    }
    if (log->s3EncryptionEnabled.value_or(false)) {
      throw unsupported("logConfiguration.s3EncryptionEnabled", "there is no Key Management Service");
    }
  }
  if (command.kmsKeyId) throw unsupported("executeCommandConfiguration.kmsKeyId", "there is no Key Management Service");
}

}  // namespace

void check_settings(const std::vector<ClusterSetting>& settings) {
  for (const ClusterSetting& setting : settings) {
    if (setting.name.value_or("") != "containerInsights") {
      throw invalid_parameter("Invalid setting 'name'. It should be containerInsights.");
    }
    const std::string value = setting.value.value_or("");
    if (value != "enabled" && value != "disabled" && value != "enhanced") {
      throw invalid_parameter("Invalid setting 'value'. containerInsights should be one of [enabled,disabled,enhanced].");
    }
  }
  if (settings.size() > 1) throw invalid_parameter("A setting should not be given twice.");
}

void check_configuration(const ClusterConfiguration& configuration) {
  if (configuration.executeCommandConfiguration) check_execute_command(*configuration.executeCommandConfiguration);
  if (configuration.managedStorageConfiguration) {
    throw unsupported("managedStorageConfiguration", "there is no Key Management Service, and no managed storage");
  }
}

}  // namespace services::ecs
