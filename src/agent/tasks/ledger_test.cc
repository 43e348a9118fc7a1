// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/ledger.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    ledger_.set_gpus({{.id = "GPU-a", .memory_mib = 16000},
                      {.id = "GPU-b", .memory_mib = 16000},
                      {.id = "GPU-broken", .memory_mib = 16000, .healthy = false, .trouble = "Xid 79"}});
  }

  Grant grant(const std::string& task, const std::vector<GpuClaim>& claims) {
    return ledger_.grant(task, claims).grant;
  }

  Ledger ledger_;
};

TEST_F(LedgerTest, AWholeGpuIsHeldByOneTaskUntilItIsReleased) {
  EXPECT_EQ(grant("t1", {{"GPU-a", "c", 0}}), Grant::Granted);
  EXPECT_EQ(grant("t2", {{"GPU-a", "c", 0}}), Grant::Wait);
  EXPECT_EQ(grant("t2", {{"GPU-b", "c", 0}}), Grant::Granted);
  EXPECT_TRUE(ledger_.release("t1"));
  EXPECT_FALSE(ledger_.release("t1"));
  EXPECT_EQ(grant("t3", {{"GPU-a", "c", 0}}), Grant::Granted);
}

TEST_F(LedgerTest, SharesAreGrantedUpToTheMemoryOfTheGpu) {
  EXPECT_EQ(grant("t1", {{"GPU-a", "c", 10000}}), Grant::Granted);
  EXPECT_EQ(grant("t2", {{"GPU-a", "c", 6001}}), Grant::Wait);
  EXPECT_EQ(grant("t2", {{"GPU-a", "c", 6000}}), Grant::Granted);
  EXPECT_EQ(ledger_.holders("GPU-a"), (std::vector<std::string>{"t1", "t2"}));
}

TEST_F(LedgerTest, SharesOfOneTaskAreSummed) {
  EXPECT_EQ(grant("t1", {{"GPU-a", "x", 8000}, {"GPU-a", "y", 8000}}), Grant::Granted);
  EXPECT_EQ(grant("t2", {{"GPU-a", "x", 1}}), Grant::Wait);
  EXPECT_EQ(grant("t3", {{"GPU-b", "x", 8000}, {"GPU-b", "y", 8001}}), Grant::Never);
}

TEST_F(LedgerTest, AWholeClaimAndAShareExcludeEachOther) {
  EXPECT_EQ(grant("t1", {{"GPU-a", "c", 100}}), Grant::Granted);
  EXPECT_EQ(grant("t2", {{"GPU-a", "c", 0}}), Grant::Wait);
  EXPECT_EQ(grant("t3", {{"GPU-b", "c", 0}}), Grant::Granted);
  EXPECT_EQ(grant("t4", {{"GPU-b", "c", 100}}), Grant::Wait);
}

TEST_F(LedgerTest, ATaskIsGrantedAllOfItsGpusOrNone) {
  EXPECT_EQ(grant("t1", {{"GPU-b", "c", 0}}), Grant::Granted);
  EXPECT_EQ(grant("t2", {{"GPU-a", "c", 0}, {"GPU-b", "c", 0}}), Grant::Wait);
  EXPECT_TRUE(ledger_.holders("GPU-a").empty());
}

TEST_F(LedgerTest, AnAbsentOrUnhealthyGpuIsNeverGranted) {
  EXPECT_EQ(ledger_.grant("t", {{"GPU-x", "c", 0}}).grant, Grant::Never);
  GrantAnswer answer = ledger_.grant("t", {{"GPU-a", "c", 0}, {"GPU-broken", "c", 0}});
  EXPECT_EQ(answer.grant, Grant::Never);
  EXPECT_NE(answer.reason.find("Xid 79"), std::string::npos);
}

TEST_F(LedgerTest, AnAdoptedTaskHoldsEvenAnUnhealthyGpu) {
  ledger_.adopt("t1", {{"GPU-broken", "c", 0}});
  EXPECT_EQ(ledger_.holders("GPU-broken"), std::vector<std::string>{"t1"});
}

TEST_F(LedgerTest, AGrantedTaskIsGrantedAgainWithoutASecondHold) {
  EXPECT_EQ(grant("t1", {{"GPU-a", "c", 0}}), Grant::Granted);
  EXPECT_EQ(grant("t1", {{"GPU-a", "c", 0}}), Grant::Granted);
  EXPECT_TRUE(ledger_.release("t1"));
}

TEST(Claims, AnAssociationIsAWholeClaimUnlessThereIsAShare) {
  shapes::agent::Task task;
  task.associations = {{"gpu", "GPU-a", {"x", "y"}, {}}, {"elastic-inference", "e", {"x"}, {}}};
  task.stokerGpuShares = std::vector<shapes::agent::GpuShare>{{"y", "GPU-a", 500, {}}};
  EXPECT_EQ(claims_of(task), (std::vector<GpuClaim>{{"GPU-a", "y", 500}, {"GPU-a", "x", 0}}));
}

}  // namespace
}  // namespace agent
