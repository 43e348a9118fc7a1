// SPDX-License-Identifier: Apache-2.0
#include "http/admission.h"

#include <gtest/gtest.h>

#include <vector>

#include "http/body_budget.h"

namespace http {
namespace {

// 12 places: 2 for unknown connections, 2 reserved for agents, 8 for anybody with a key.
constexpr AdmissionLimits kSmall = {.all = 12, .agents = 2, .unknown = 2, .per_address = 2, .per_account = 6};

std::size_t open(const Admission& admission, ConnectionKind kind) {
  return admission.counts().connections[static_cast<std::size_t>(kind)];
}
std::uint64_t refused(const Admission& admission, Refusal why) {
  return admission.counts().refused[static_cast<std::size_t>(why)];
}

// Opens connections with a key until one is turned away.
std::vector<Admission::Place> fill(Admission& admission, const std::string& account) {
  std::vector<Admission::Place> places;
  for (;;) {
    auto place = admission.enter(false, "a");
    if (!place || !place->set_account(account)) return places;
    places.push_back(std::move(*place));
  }
}

TEST(Admission, AnAddressHasAShareOfUnknownConnections) {
  AdmissionLimits limits = kSmall;
  limits.per_address = 1;
  Admission admission(limits);
  auto first = admission.enter(false, "a");
  EXPECT_TRUE(first);
  EXPECT_FALSE(admission.enter(false, "a"));
  EXPECT_EQ(refused(admission, Refusal::Address), 1u);
  auto other = admission.enter(false, "b");
  EXPECT_TRUE(other);
  EXPECT_FALSE(admission.enter(false, "c"));
  EXPECT_EQ(refused(admission, Refusal::Unknown), 1u);
  first.reset();
  EXPECT_TRUE(admission.enter(false, "a"));
}

TEST(Admission, AConnectionWithAKeyNoLongerCountsForItsAddress) {
  Admission admission(kSmall);
  auto places = fill(admission, "one");
  EXPECT_EQ(places.size(), 6u);
  EXPECT_EQ(refused(admission, Refusal::Account), 1u);
  EXPECT_EQ(open(admission, ConnectionKind::Unknown), 0u);
  EXPECT_EQ(open(admission, ConnectionKind::Client), 6u);
}

TEST(Admission, OtherAccountsAgentsAndTheUnixSocketKeepTheirPlaces) {
  Admission admission(kSmall);
  auto greedy = fill(admission, "one");
  auto other = fill(admission, "two");
  EXPECT_EQ(other.size(), 2u);
  EXPECT_EQ(refused(admission, Refusal::Full), 1u);
  std::vector<Admission::Place> agents;
  for (int i = 0; i < 2; ++i) {
    auto agent = admission.enter(false, "b");
    ASSERT_TRUE(agent && agent->set_agent("one"));
    agents.push_back(std::move(*agent));
  }
  EXPECT_EQ(open(admission, ConnectionKind::Agent), 2u);
  auto late = admission.enter(false, "b");
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->set_agent("one"));
  EXPECT_TRUE(admission.enter(true, ""));
}

TEST(Admission, AConnectionMayServeAnotherAccountAndBecomeAnAgents) {
  Admission admission(kSmall);
  auto place = admission.enter(false, "a");
  EXPECT_TRUE(place->set_account("one"));
  EXPECT_TRUE(place->set_account("two"));
  EXPECT_EQ(fill(admission, "one").size(), 6u);
  EXPECT_TRUE(place->set_agent("two"));
  EXPECT_EQ(open(admission, ConnectionKind::Client), 0u);
  EXPECT_EQ(open(admission, ConnectionKind::Agent), 1u);
  place.reset();
  EXPECT_EQ(open(admission, ConnectionKind::Agent), 0u);
}

// Opens agents' connections until one is turned away.
std::vector<Admission::Place> fill_with_agents(Admission& admission, const std::string& account) {
  std::vector<Admission::Place> places;
  for (;;) {
    auto place = admission.enter(false, "a");
    if (!place || !place->set_agent(account)) return places;
    places.push_back(std::move(*place));
  }
}

TEST(Admission, AgentsOfAnAccountLeavePlacesForThoseOfOthersAndAllAgentsForClients) {
  AdmissionLimits limits = kSmall;
  limits.clients = 2;
  limits.agents_per_account = 5;
  Admission admission(limits);
  auto greedy = fill_with_agents(admission, "one");
  EXPECT_EQ(greedy.size(), 5u);
  EXPECT_EQ(refused(admission, Refusal::Account), 1u);
  auto other = fill_with_agents(admission, "two");
  EXPECT_EQ(other.size(), 3u);
  EXPECT_EQ(fill(admission, "two").size(), 2u);
  greedy.pop_back();
  EXPECT_EQ(fill_with_agents(admission, "one").size(), 1u);
}

TEST(Admission, AgentsAndClientsOfAnAccountTogetherLeavePlacesForOthers) {
  AdmissionLimits limits = kSmall;
  limits.agents_per_account = 5;
  limits.all_per_account = 7;
  Admission admission(limits);
  auto agents = fill_with_agents(admission, "one");
  EXPECT_EQ(agents.size(), 5u);
  auto clients = fill(admission, "one");
  EXPECT_EQ(clients.size(), 2u);
  EXPECT_EQ(refused(admission, Refusal::Account), 2u);
  EXPECT_TRUE(clients.back().set_account("one"));
  agents.pop_back();
  EXPECT_TRUE(clients.back().set_agent("one")) << "counted already";
  const auto last = fill(admission, "one");
  EXPECT_EQ(last.size(), 1u);
  EXPECT_EQ(fill(admission, "two").size(), 3u);
}

TEST(Admission, AServerWithoutAccountsHasOneLimit) {
  Admission admission({.all = 3});
  std::vector<Admission::Place> places;
  for (int i = 0; i < 3; ++i) places.push_back(std::move(*admission.enter(false, "a")));
  EXPECT_FALSE(admission.enter(false, "a"));
  EXPECT_TRUE(places.back().set_agent("one"));
}

TEST(BodyBudget, IsSharedAndAnAddressHasAShare) {
  BodyBudget budget({.all = 100000, .per_owner = 60000});
  BodyBudget::Loan first(budget, "a"), second(budget, "a"), other(budget, "b");
  EXPECT_TRUE(first.cover(BodyBudget::kFreeBytes + 50000));
  EXPECT_TRUE(first.cover(BodyBudget::kFreeBytes + 40000));
  EXPECT_EQ(budget.used(), 50000u);
  EXPECT_FALSE(second.cover(BodyBudget::kFreeBytes + 20000));
  EXPECT_TRUE(other.cover(BodyBudget::kFreeBytes + 50000));
  EXPECT_FALSE(other.could_cover(BodyBudget::kFreeBytes + 50001));
  EXPECT_EQ(budget.refused(), 2u);
  first.release();
  EXPECT_TRUE(second.cover(BodyBudget::kFreeBytes + 20000));
  EXPECT_EQ(budget.used(), 70000u);
}

TEST(BodyBudget, ShortBodiesNeedNoneOfIt) {
  BodyBudget budget({.all = 0, .per_owner = 0});
  BodyBudget::Loan loan(budget, "a");
  EXPECT_TRUE(loan.cover(BodyBudget::kFreeBytes));
  EXPECT_TRUE(loan.could_cover(BodyBudget::kFreeBytes));
  EXPECT_FALSE(loan.cover(BodyBudget::kFreeBytes + 1));
}

}  // namespace
}  // namespace http
