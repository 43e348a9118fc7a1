// SPDX-License-Identifier: Apache-2.0
#include "api/admission.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(Admission, WhatDeletesOrChangesIsAcceptedOnAFullDisk) {
  for (const char* name : {"ReceiveMessage", "DeleteMessage", "DeleteMessageBatch", "PurgeQueue", "DeleteQueue",
                           "ChangeMessageVisibility", "DeleteObject", "DeleteObjects", "AbortMultipartUpload",
                           "DeleteLogGroup", "PutRetentionPolicy", "PutBucketLifecycleConfiguration", "StopTask",
                           "DeregisterContainerInstance", "SubmitTaskStateChange", "UpdateService", "UntagResource",
                           "TerminateInstances", "RegisterContainerInstance", "GetSessionToken",
                           "AssumeRole"}) {
    EXPECT_FALSE(grows(name)) << name;
  }
}

TEST(Admission, WhatGrowsIsNot) {
  for (const char* name : {"SendMessage", "SendMessageBatch", "CreateQueue", "PutObject", "PostObject", "CopyObject",
                           "UploadPart", "UploadPartCopy", "CreateMultipartUpload", "PutLogEvents", "PutMetricData",
                           "RunTask", "StartTask", "RegisterTaskDefinition", "CreateService", "TagResource", "CreateKey",
                           "PutBucketPolicy", "StartMessageMoveTask", "ANewVerb"}) {
    EXPECT_TRUE(grows(name)) << name;
  }
}

}  // namespace
}  // namespace api
