// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/reservation.h"

#include "services/ecs/capacity/capacity_fixture.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ReservationTest : public CapacityTest {
 protected:
  std::vector<Measurement> measure_now(bool minute, bool second = false) {
    Measured measured;
    with_call([&](Call& call) {
      measure_reservations(call, {.minute = minute, .second = second, .interest = interest_}, measured);
    });
    return measured.points;
  }
  double value() { return measure_now(true).at(0).values.at(0); }
  const MetricKey metric_{"111111111111",
                          "us-east-1",
                          "AWS/ECS/ManagedScaling",
                          "CapacityProviderReservation",
                          {{"CapacityProviderName", "p"}, {"ClusterName", "default"}}};
  std::set<MetricKey> interest_;
};

TEST_F(ReservationTest, FollowsTasksAndInstances) {
  use_provider();
  EXPECT_EQ(value(), 100);
  const Task task = run_one("one");
  EXPECT_EQ(value(), 200);
  add_instance("i-1", "p-group");
  EXPECT_EQ(value(), 200);  // one runs, one more is needed
  add_machine("i-1", 1);
  run_capacity();
  EXPECT_EQ(value(), 100);
  run_family("one", R"("count":3)");
  EXPECT_EQ(value(), 400);
  join_instance("i-2", 4);
  run_capacity();
  EXPECT_EQ(value(), 100);
  report(task, "STOPPED");
  EXPECT_EQ(value(), 50);
}

TEST_F(ReservationTest, IsPublishedEveryMinuteAndAtOnceWhereItIsOfInterest) {
  use_provider();
  EXPECT_THAT(measure_now(false), IsEmpty());
  const auto usual = measure_now(true);
  ASSERT_THAT(usual, SizeIs(1));
  EXPECT_EQ(usual[0].metric, metric_);
  EXPECT_FALSE(usual[0].high_resolution);
  interest_.insert(metric_);
  EXPECT_THAT(measure_now(false), IsEmpty());  // unchanged
  EXPECT_THAT(measure_now(false, true), SizeIs(1));
  run_one();
  EXPECT_THAT(wakes_, Contains(std::string(kPublishTopic)));
  const auto changed = measure_now(false);
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_TRUE(changed[0].high_resolution);
  EXPECT_THAT(changed[0].values, ElementsAre(200));
}

TEST_F(ReservationTest, TasksWithoutAStrategyAndDaemonsDoNotAskForInstances) {
  use_provider();
  join_instance("i-1");
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  EXPECT_EQ(value(), 0);
}

}  // namespace
}  // namespace services::ecs
