// SPDX-License-Identifier: Apache-2.0
// Tests which contender waits for which, among readers, writers, upgrades and permits.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"

namespace turnstile::core {
namespace queue_rule_kinds_tests {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using names = std::vector<std::string>;

// Returns a name of this kind and number, with a GUID that makes the name unique.
std::string named(const claim& wants, std::int32_t sequence) {
    const auto guid = fmt::format("{:08x}-0000-4000-8000-{:012x}", static_cast<int>(wants.kind),
                                  static_cast<std::uint32_t>(sequence));
    return contender_prefix(guid, wants) + fmt::format("{:010d}", sequence);
}
std::string read(std::int32_t n) {
    return named({claim_kind::read}, n);
}
std::string write(std::int32_t n) {
    return named({claim_kind::write}, n);
}
std::string upgradable(std::int32_t n) {
    return named({claim_kind::upgradable}, n);
}
std::string upgrade(std::int32_t of, std::int32_t n) {
    return named({claim_kind::upgrade, 1, of}, n);
}
// Returns the name of an upgrade that has moved to the position of its upgradable contender.
std::string arrived(std::int32_t of, std::int32_t came_with) {
    return upgrade_in_other_place(upgrade(of, came_with));
}
std::string permit(std::int32_t n, std::int32_t permits = 1) {
    return named({claim_kind::permit, permits}, n);
}

void expect_granted(const names& children, const std::string& self) {
    const auto judged = decide(children, self);
    EXPECT_EQ(judged.verdict, verdict::granted) << self << " waits for " << judged.predecessor;
}
void expect_changes_places(const names& children, const std::string& self) {
    EXPECT_EQ(decide(children, self).verdict, verdict::change_places) << self;
}
void expect_waits(const names& children, const std::string& self, const std::string& predecessor,
                  std::size_t ahead) {
    const auto judged = decide(children, self);
    EXPECT_EQ(judged.verdict, verdict::wait_on) << self;
    EXPECT_EQ(judged.predecessor, predecessor);
    EXPECT_EQ(judged.ahead, ahead);
}

// ---- readers and writers --------------------------------------------------------------------

TEST(queue_rule_read_write, readers_share) {
    const names children{read(3), read(1), read(2)};
    for (const auto& child : children) expect_granted(children, child);
}

TEST(queue_rule_read_write, a_writer_waits_for_everybody_ahead) {
    expect_granted({write(1), read(2), write(3)}, write(1));
    expect_waits({write(5), read(1), read(4), upgradable(2)}, write(5), read(4), 3);
    expect_waits({write(5), write(1), write(6)}, write(5), write(1), 1);
}

// Failure F19: a reader must wait only for writers ahead of it.
TEST(queue_rule_read_write, F19_a_reader_waits_for_writers_ahead_only) {
    expect_waits({read(5), write(2), write(3), read(4), write(6)}, read(5), write(3), 2);
    expect_granted({read(5), read(4), write(6)}, read(5));
    expect_granted({read(5), upgradable(4)}, read(5));
    expect_waits({read(5), upgradable(1), upgrade(1, 2)}, read(5), upgrade(1, 2), 1);
}

TEST(queue_rule_read_write, an_upgradable_one_waits_for_writers_and_its_own_kind) {
    expect_granted({upgradable(5), read(4), read(3)}, upgradable(5));
    expect_granted({upgradable(5), upgradable(6), write(7)}, upgradable(5));
    expect_waits({upgradable(5), upgradable(2), read(4)}, upgradable(5), upgradable(2), 1);
    expect_waits({upgradable(5), upgradable(2), upgrade(2, 3), read(4)}, upgradable(5),
                 upgrade(2, 3), 2);
    expect_waits({upgradable(5), write(2), read(4)}, upgradable(5), write(2), 1);
}

TEST(queue_rule_read_write, locks_and_permits_are_foreign_to_it) {
    expect_granted({write(5), named({}, 1), permit(2), named({claim_kind::latch}, 3)}, write(5));
    expect_granted({named({}, 5), write(1), read(2), upgradable(3)}, named({}, 5));
    expect_granted({permit(5), write(1), named({}, 2)}, permit(5));
}

// These are names that Curator creates.
TEST(queue_rule_read_write, queues_with_curators_readers_and_writers) {
    const std::string reader = "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__READ__0000000001";
    const std::string writer = "_c_7a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__WRIT__0000000002";
    expect_granted({reader, read(2)}, read(2));
    expect_waits({reader, write(2)}, write(2), reader, 1);
    expect_waits({reader, writer, read(3)}, read(3), writer, 1);
}

// ---- upgrade --------------------------------------------------------------------------------

TEST(queue_rule_upgrade, goes_where_its_upgradable_one_stands_when_that_is_alone) {
    expect_changes_places({upgradable(1), upgrade(1, 2)}, upgrade(1, 2));
    expect_changes_places({upgradable(1), upgrade(1, 2), read(3), write(4)}, upgrade(1, 2));
}

TEST(queue_rule_upgrade, is_granted_there_if_nobody_is_in_the_way) {
    expect_granted({upgradable(1), arrived(1, 2)}, arrived(1, 2));
    expect_granted({upgradable(1), arrived(1, 2), read(3), write(4)}, arrived(1, 2));
    expect_granted({upgradable(1), arrived(1, 5), write(2), read(3)}, arrived(1, 5));
}

// The reader may hold the lock, or wait for the upgrade. The names in the queue do not show which of the two is true,
// so the upgrade moves back to the position at which it entered the queue.
TEST(queue_rule_upgrade, goes_back_for_a_reader_whose_writer_went_meanwhile) {
    expect_changes_places({upgradable(1), arrived(1, 5), read(3)}, arrived(1, 5));
    expect_changes_places({upgradable(1), arrived(1, 5), read(0)}, arrived(1, 5));
    expect_waits({upgradable(1), upgrade(1, 5), read(3)}, upgrade(1, 5), read(3), 1);
}

TEST(queue_rule_upgrade, in_its_bases_place_is_ahead_of_all_that_came_after_that) {
    expect_waits({upgradable(1), read(3), arrived(1, 5)}, read(3), arrived(1, 5), 1);
    expect_waits({upgradable(1), upgrade(1, 5), read(6)}, read(6), upgrade(1, 5), 1);
    expect_granted({read(0), upgradable(1), arrived(1, 5)}, read(0));
    EXPECT_EQ(decide({upgradable(1), arrived(1, 5), write(3)}, write(3)).ahead, 2U);
    EXPECT_EQ(decide({upgradable(1), arrived(1, 5), upgradable(3)}, upgradable(3)).ahead, 2U);
    EXPECT_EQ(decide({arrived(1, 5), read(3)}, arrived(1, 5)).verdict, verdict::orphan);
}

// The upgrade has moved to the position of its upgradable contender. A query of the queue shows the upgradable
// contender first and the upgrade next, both as holders.
TEST(queue_rule_upgrade, in_its_bases_place_is_behind_its_base) {
    const names children{upgradable(1), arrived(1, 5)};
    const std::map<std::string, std::int64_t> czxids{{upgradable(1), 10}, {arrived(1, 5), 20}};
    EXPECT_EQ(decide(children, upgradable(1), czxids).verdict, verdict::granted);
    EXPECT_EQ(decide(children, arrived(1, 5), czxids).verdict, verdict::granted);
}

TEST(queue_rule_upgrade, waits_for_the_readers_that_hold) {
    expect_waits({read(0), upgradable(1), read(2), upgrade(1, 3)}, upgrade(1, 3), read(2), 2);
    expect_waits({read(0), upgradable(1), upgrade(1, 3)}, upgrade(1, 3), read(0), 1);
}

TEST(queue_rule_upgrade, passes_waiting_writers_and_whoever_waits_behind_them) {
    expect_changes_places({upgradable(1), write(2), read(3), write(4), upgrade(1, 5)},
                          upgrade(1, 5));
    expect_waits({upgradable(1), read(2), write(3), read(4), upgrade(1, 5)}, upgrade(1, 5), read(2),
                 1);
}

// The upgrade belongs to upgradable contender 2. The upgrade waits for the readers 1 and 4, which both hold the lock,
// and not for upgradable contender 5.
TEST(queue_rule_upgrade, readers_between_are_counted_from_its_own_upgradable_one) {
    expect_waits({read(1), upgradable(2), upgradable(5), upgrade(2, 6), read(4)}, upgrade(2, 6),
                 read(4), 2);
}

TEST(queue_rule_upgrade, is_an_orphan_without_its_upgradable_one) {
    EXPECT_EQ(decide({upgrade(1, 2)}, upgrade(1, 2)).verdict, verdict::orphan);
    EXPECT_EQ(decide({read(1), upgrade(1, 2)}, upgrade(1, 2)).verdict, verdict::orphan);
    EXPECT_EQ(decide({upgradable(0), upgrade(1, 2)}, upgrade(1, 2)).verdict, verdict::orphan);
    EXPECT_EQ(decide({upgradable(3), upgrade(1, 2)}, upgrade(1, 2)).verdict, verdict::orphan)
        << "which comes later than the upgrade";
}

TEST(queue_rule_upgrade, knows_the_order_across_a_wrap) {
    constexpr std::int32_t k_last = 2147483647;
    constexpr std::int32_t k_first = -k_last - 1 + 1'000'000;
    expect_waits({read(k_last), upgradable(k_last - 1), upgrade(k_last - 1, k_first)},
                 upgrade(k_last - 1, k_first), read(k_last), 1);
    expect_granted({upgradable(k_last - 1), arrived(k_last - 1, k_first)},
                   arrived(k_last - 1, k_first));
}

// Failure F18: if contenders have equal sequence numbers, their czxids must decide which contender is first.
TEST(queue_rule_upgrade, asks_for_the_czxids_of_everybody_with_its_number) {
    constexpr std::int32_t k_stuck = 2147483647;
    const auto self = upgrade(k_stuck, k_stuck);
    const names children{upgradable(k_stuck), write(k_stuck), read(k_stuck), self};
    EXPECT_THAT(decide(children, self, {{self, 40}}).tied,
                UnorderedElementsAre(upgradable(k_stuck), write(k_stuck), read(k_stuck)));
    const auto judged = [&](std::int64_t writer, std::int64_t reader) {
        return decide(children, self,
                      {{self, 40},
                       {upgradable(k_stuck), 10},
                       {write(k_stuck), writer},
                       {read(k_stuck), reader}})
            .verdict;
    };
    EXPECT_EQ(judged(20, 30), verdict::change_places);
    EXPECT_EQ(judged(30, 20), verdict::wait_on);
}

// ---- permits --------------------------------------------------------------------------------

decision judged(const names& children, const std::string& self, std::int32_t now,
                std::int32_t earlier = 0) {
    return decide(children, self, {}, {now, std::max(now, earlier)});
}

TEST(queue_rule_permits, is_granted_while_there_is_room) {
    const names children{permit(1), permit(2), permit(3)};
    EXPECT_EQ(judged(children, permit(3), 3).verdict, verdict::granted);
    EXPECT_EQ(judged(children, permit(3), 3).ahead, 2U);
    EXPECT_EQ(judged(children, permit(2), 2).verdict, verdict::granted);
    EXPECT_EQ(judged(children, permit(3), 2).verdict, verdict::wait_on_any);
}

TEST(queue_rule_permits, the_first_in_line_watches_all_that_hold_and_the_others_the_nearest) {
    const names children{permit(4), permit(1), permit(2), permit(3)};
    const auto first = judged(children, permit(3), 2);
    EXPECT_EQ(first.verdict, verdict::wait_on_any);
    EXPECT_THAT(first.holders, UnorderedElementsAre(permit(1), permit(2)));
    EXPECT_EQ(first.predecessor, "");
    EXPECT_EQ(first.ahead, 2U);
    const auto second = judged(children, permit(4), 2);
    EXPECT_EQ(second.verdict, verdict::wait_on);
    EXPECT_EQ(second.predecessor, permit(3));
    EXPECT_EQ(second.ahead, 3U);
    EXPECT_THAT(second.holders, IsEmpty());
}

TEST(queue_rule_permits, several_permits_weigh_as_many) {
    EXPECT_EQ(judged({permit(1, 3), permit(2, 2)}, permit(2, 2), 5).verdict, verdict::granted);
    EXPECT_EQ(judged({permit(1, 3), permit(2, 3)}, permit(2, 3), 5).verdict, verdict::wait_on_any);
    // Permits are granted in the order of arrival, so a large request blocks the smaller requests behind it.
    const names children{permit(1, 3), permit(2, 3), permit(3)};
    EXPECT_EQ(judged(children, permit(3), 5).verdict, verdict::wait_on);
    EXPECT_EQ(judged(children, permit(3), 5).predecessor, permit(2, 3));
}

TEST(queue_rule_permits, asks_for_no_more_than_there_are) {
    EXPECT_EQ(judged({permit(1, 6)}, permit(1, 6), 5).verdict, verdict::too_many);
    EXPECT_EQ(judged({permit(1, 5)}, permit(1, 5), 5).verdict, verdict::granted);
    EXPECT_EQ(judged({permit(1, 6)}, permit(1, 6), 5, 7).verdict, verdict::too_many)
        << "what was once does not count";
}

// Failure F20: when a semaphore's limit becomes lower, all contenders within the old limit may still hold permits. The
// first waiter watches all of these contenders.
TEST(queue_rule_permits, F20_what_there_was_earlier_may_still_be_out) {
    const names children{permit(1), permit(2), permit(3), permit(4), permit(5)};
    EXPECT_EQ(judged(children, permit(4), 1, 3).verdict, verdict::wait_on_any);
    EXPECT_THAT(judged(children, permit(4), 1, 3).holders,
                UnorderedElementsAre(permit(1), permit(2), permit(3)));
    EXPECT_EQ(judged(children, permit(5), 1, 3).verdict, verdict::wait_on);
    EXPECT_EQ(judged(children, permit(2), 1, 3).verdict, verdict::wait_on_any);
}

TEST(queue_rule_permits, weights_do_not_overflow) {
    constexpr std::int32_t k_most = 2147483647;
    const names children{permit(1, k_most), permit(2, k_most), permit(3, k_most)};
    EXPECT_EQ(judged(children, permit(3, k_most), k_most).verdict, verdict::wait_on);
    EXPECT_EQ(judged(children, permit(2, k_most), k_most).verdict, verdict::wait_on_any);
}

}  // namespace queue_rule_kinds_tests
}  // namespace turnstile::core
