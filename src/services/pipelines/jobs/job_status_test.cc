// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_status.h"

#include <gtest/gtest.h>

namespace services::pipelines {
namespace {

constexpr JobStatus kAll[] = {JobStatus::Queued, JobStatus::Running, JobStatus::Succeeded, JobStatus::Failed,
                              JobStatus::Cancelled};

TEST(JobStatusTest, EachStatusHasATextOfItsOwn) {
  for (JobStatus status : kAll) EXPECT_EQ(job_status(text(status)), status);
  EXPECT_EQ(job_status("queued"), std::nullopt);
  EXPECT_EQ(job_status(""), std::nullopt);
}

TEST(JobStatusTest, AnOpenJobFollowsEveryEventButARetry) {
  for (JobStatus open : {JobStatus::Queued, JobStatus::Running}) {
    EXPECT_EQ(next_status(open, JobEvent::Started), JobStatus::Running);
    EXPECT_EQ(next_status(open, JobEvent::AttemptFailed), JobStatus::Queued);
    EXPECT_EQ(next_status(open, JobEvent::ResultStored), JobStatus::Succeeded);
    EXPECT_EQ(next_status(open, JobEvent::DeadLettered), JobStatus::Failed);
    EXPECT_EQ(next_status(open, JobEvent::Expired), JobStatus::Failed);
    EXPECT_EQ(next_status(open, JobEvent::Cancelled), JobStatus::Cancelled);
    EXPECT_EQ(next_status(open, JobEvent::Retried), std::nullopt);
  }
}

TEST(JobStatusTest, ASucceededJobNeverChanges) {
  for (JobEvent event : {JobEvent::Started, JobEvent::AttemptFailed, JobEvent::ResultStored, JobEvent::DeadLettered,
                         JobEvent::Cancelled, JobEvent::Retried, JobEvent::Expired}) {
    EXPECT_EQ(next_status(JobStatus::Succeeded, event), std::nullopt);
  }
}

TEST(JobStatusTest, AFailedJobIsContinuedByARetryOrALateResult) {
  EXPECT_EQ(next_status(JobStatus::Failed, JobEvent::Retried), JobStatus::Queued);
  EXPECT_EQ(next_status(JobStatus::Failed, JobEvent::ResultStored), JobStatus::Succeeded);
  for (JobEvent event : {JobEvent::Started, JobEvent::AttemptFailed, JobEvent::DeadLettered, JobEvent::Cancelled}) {
    EXPECT_EQ(next_status(JobStatus::Failed, event), std::nullopt);
  }
}

TEST(JobStatusTest, ACancelledJobIsOnlyContinuedByARetry) {
  EXPECT_EQ(next_status(JobStatus::Cancelled, JobEvent::Retried), JobStatus::Queued);
  for (JobEvent event : {JobEvent::Started, JobEvent::AttemptFailed, JobEvent::ResultStored, JobEvent::DeadLettered,
                         JobEvent::Cancelled, JobEvent::Expired}) {
    EXPECT_EQ(next_status(JobStatus::Cancelled, event), std::nullopt);
  }
}

}  // namespace
}  // namespace services::pipelines
