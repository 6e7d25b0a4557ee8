// SPDX-License-Identifier: Apache-2.0
// Tests the wait-for graph. It must find all cycles, name each cycle by its newest wait, and report no cycle that does
// not exist.
#include "recipe/deadlock/wait_for_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace turnstile::detail {
namespace {

// The owner of a contender, and the number of the transaction that created the contender.
using entry = std::pair<std::string, std::uint64_t>;

std::string name(const std::string& owner, std::uint64_t czxid) {
    return "_c_" + owner + "-lock-" + std::to_string(czxid);
}

lock_queue queue(const std::string& path, const std::vector<entry>& entries) {
    lock_queue result{path, {}};
    for (const auto& [owner, czxid] : entries) {
        contender contender;
        contender.position = result.contenders.size();
        contender.name = name(owner, czxid);
        contender.token = fencing_token{czxid};
        contender.metadata.owner = owner;
        contender.metadata.host = "host-of-" + owner;
        contender.metadata.pid = "1";
        contender.metadata.thread = "2";
        contender.metadata.since = "then";
        result.contenders.push_back(contender);
    }
    return result;
}

// Returns a cycle as text, with a part for each member: "a:/held->/awaited b:...".
std::string text_of(const deadlock& cycle) {
    std::string text;
    for (const auto& member : cycle.members)
        text +=
            (text.empty() ? "" : " ") + member.owner + ':' + member.holds + "->" + member.awaits;
    return text;
}

std::vector<std::string> cycles_of(std::vector<lock_queue> queues) {
    std::vector<std::string> texts;
    for (const auto& cycle : wait_for_graph{std::move(queues)}.cycles())
        texts.push_back(text_of(cycle));
    return texts;
}
using texts = std::vector<std::string>;

TEST(wait_for_graph, of_nothing_has_no_cycle) {
    EXPECT_EQ(cycles_of({}), texts{});
    EXPECT_EQ(cycles_of({queue("/a", {}), queue("/b", {{"x", 1}})}), texts{});
}

TEST(wait_for_graph, has_none_where_waits_end) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 2}, {"z", 3}})}), texts{});
    // x holds both locks, so x waits for no lock.
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 3}}), queue("/b", {{"x", 2}, {"z", 4}})}),
              texts{});
    // A chain of waits without a cycle.
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 4}}), queue("/b", {{"y", 2}, {"z", 5}}),
                         queue("/c", {{"z", 3}})}),
              texts{});
}

TEST(wait_for_graph, finds_two_that_wait_for_each_other) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 4}}), queue("/b", {{"y", 2}, {"x", 3}})}),
              texts{"y:/b->/a x:/a->/b"});
}

TEST(wait_for_graph, finds_one_that_waits_for_itself) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"x", 2}})}), texts{"x:/a->/a"});
}

TEST(wait_for_graph, finds_three_in_a_ring) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"z", 6}}), queue("/b", {{"y", 2}, {"x", 4}}),
                         queue("/c", {{"z", 3}, {"y", 5}})}),
              texts{"z:/c->/a x:/a->/b y:/b->/c"});
}

// y blocks z at /a, because y waits there ahead of z.
TEST(wait_for_graph, counts_who_waits_ahead) {
    EXPECT_EQ(
        cycles_of({queue("/a", {{"x", 1}, {"y", 3}, {"z", 4}}), queue("/b", {{"z", 2}, {"y", 5}})}),
        texts{"y:/a->/b z:/b->/a"});
}

TEST(wait_for_graph, leaves_out_who_only_waits_for_a_cycle) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 4}, {"late", 9}}),
                         queue("/b", {{"y", 2}, {"x", 3}, {"late", 8}})}),
              texts{"y:/b->/a x:/a->/b"});
}

TEST(wait_for_graph, tells_two_cycles_apart) {
    EXPECT_EQ(cycles_of({queue("/a", {{"x", 1}, {"y", 4}}), queue("/b", {{"y", 2}, {"x", 3}}),
                         queue("/c", {{"u", 5}, {"v", 8}}), queue("/d", {{"v", 6}, {"u", 7}})}),
              (texts{"v:/d->/c u:/c->/d", "y:/b->/a x:/a->/b"}));
}

TEST(wait_for_graph, knows_nobody_without_an_owner) {
    EXPECT_EQ(cycles_of({queue("/a", {{"", 1}, {"", 4}}), queue("/b", {{"", 2}, {"", 3}})}),
              texts{});
    EXPECT_EQ(
        cycles_of({queue("/a", {{"x", 1}, {"", 3}, {"y", 4}}), queue("/b", {{"", 2}, {"x", 5}})}),
        texts{});
}

TEST(wait_for_graph, tells_only_the_newest) {
    const wait_for_graph graph{
        {queue("/a", {{"x", 1}, {"y", 4}}), queue("/b", {{"y", 2}, {"x", 3}})}};
    ASSERT_TRUE(graph.cycle_closed_by("/a", name("y", 4)));
    EXPECT_EQ(text_of(*graph.cycle_closed_by("/a", name("y", 4))), "y:/b->/a x:/a->/b");
    EXPECT_FALSE(graph.cycle_closed_by("/b", name("x", 3)));
    EXPECT_FALSE(graph.cycle_closed_by("/b", name("y", 2)));  // y does not wait in this queue
    EXPECT_FALSE(graph.cycle_closed_by("/a", name("y", 5)));
}

// Client x has a new session, and the servers have not ended its old session. So x waits for /b twice: with number 3 in
// the old session, and with number 9. Wait 3 is in a cycle, which would remain if x gave up wait 9.
TEST(wait_for_graph, tells_an_owners_waits_for_one_lock_apart) {
    const wait_for_graph graph{
        {queue("/a", {{"x", 1}, {"y", 2}}), queue("/b", {{"y", 0}, {"x", 3}, {"x", 9}})}};
    ASSERT_TRUE(graph.cycle_closed_by("/b", name("x", 3)));
    EXPECT_EQ(graph.cycle_closed_by("/b", name("x", 3))->members.front().waiting.name,
              name("x", 3));
    ASSERT_TRUE(graph.cycle_closed_by("/b", name("x", 9)));
    EXPECT_EQ(graph.cycle_closed_by("/b", name("x", 9))->members.front().waiting.name,
              name("x", 9));
}

// x has an old wait and a new wait, and also waits for a lock that its old session holds. An owner never waits for
// itself, so there is no cycle.
TEST(wait_for_graph, has_no_cycle_of_what_a_client_has_left_behind) {
    std::vector<lock_queue> queues{queue("/a", {{"x", 1}, {"x", 8}}),
                                   queue("/b", {{"y", 0}, {"x", 3}, {"x", 9}})};
    for (auto& each : queues)
        for (auto& contender : each.contenders)
            contender.session_id = contender.token.zxid() < 8 ? 100 : 101;
    queues[1].contenders[0].session_id = 7;
    EXPECT_EQ(wait_for_graph{queues}.cycles().size(), 2U);
    forget_left_over(queues, [](std::int64_t session) { return session == 100; });
    EXPECT_TRUE(wait_for_graph{queues}.cycles().empty());
    ASSERT_EQ(queues[1].contenders.size(), 2U);
    EXPECT_EQ(queues[1].contenders[1].name, name("x", 9));
}

// The wait of x for /c, with number 9, is in no cycle: x waits there only for z, which waits for no client.
TEST(wait_for_graph, has_no_cycle_for_a_wait_that_is_not_in_one) {
    const wait_for_graph graph{{queue("/a", {{"x", 1}, {"y", 2}}),
                                queue("/b", {{"y", 0}, {"x", 3}}),
                                queue("/c", {{"z", 4}, {"x", 9}})}};
    EXPECT_TRUE(graph.cycle_closed_by("/b", name("x", 3)));
    EXPECT_FALSE(graph.cycle_closed_by("/c", name("x", 9)));
}

TEST(wait_for_graph, reads_well) {
    const wait_for_graph graph{
        {queue("/a", {{"x", 1}, {"y", 4}}), queue("/b", {{"y", 2}, {"x", 3}})}};
    auto cycle = graph.cycles().front();
    cycle.members.front().waiting.metadata.label = "orders";
    cycle.members.back().holding.position = 1;
    EXPECT_EQ(cycle.to_string(),
              "host-of-y pid 1 thread 2 (orders) holds /b and waits for /a since then; "
              "host-of-x pid 1 thread 2 is ahead in the queue of /a and waits for /b since then");
}

TEST(wait_for_graph, is_confirmed_by_the_same_znodes_only) {
    const std::vector<lock_queue> first{queue("/a", {{"x", 1}, {"y", 4}}),
                                        queue("/b", {{"y", 2}, {"x", 3}})};
    const auto cycle = wait_for_graph{first}.cycles().front();
    EXPECT_TRUE(still_stands(cycle, first));
    EXPECT_TRUE(still_stands(
        cycle, {queue("/b", {{"y", 2}, {"x", 3}, {"z", 9}}), queue("/a", {{"x", 1}, {"y", 4}})}));
    // In each case one of the four contenders is gone, or a new one has replaced it.
    EXPECT_FALSE(still_stands(cycle, {queue("/a", {{"y", 4}}), first[1]}));
    EXPECT_FALSE(still_stands(cycle, {queue("/a", {{"x", 1}}), first[1]}));
    EXPECT_FALSE(still_stands(cycle, {first[0], queue("/b", {{"x", 3}})}));
    EXPECT_FALSE(still_stands(cycle, {first[0], queue("/b", {{"y", 2}, {"x", 7}})}));
    EXPECT_FALSE(still_stands(cycle, {first[0]}));
    EXPECT_FALSE(still_stands(cycle, {}));
}

// The queues are thirty locks with three hundred waiters each. The search must not take exponential time.
TEST(wait_for_graph, takes_long_queues) {
    std::vector<lock_queue> queues;
    std::uint64_t czxid = 0;
    for (int lock = 0; lock != 30; ++lock) {
        std::vector<entry> entries;
        for (int i = 0; i != 300; ++i)
            entries.emplace_back("o" + std::to_string(lock) + '.' + std::to_string(i), ++czxid);
        queues.push_back(queue("/" + std::to_string(lock), entries));
    }
    EXPECT_TRUE(wait_for_graph{queues}.cycles().empty());
    auto ring = queues;
    for (std::size_t lock = 0; lock != ring.size(); ++lock) {
        const auto next = queue("", {{"o" + std::to_string((lock + 1) % 30) + ".0", ++czxid}});
        ring[lock].contenders.push_back(next.contenders.front());
    }
    const auto found = wait_for_graph{ring}.cycles();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().members.size(), 30U);
}

// ---- comparison with a search of every path, on random queues ---------------------------------

struct plain_wait {
    std::size_t queue;
    std::size_t position;
};

class plain_search {
public:
    explicit plain_search(const std::vector<lock_queue>& queues) : queues_{queues} {
        for (std::size_t q = 0; q != queues.size(); ++q)
            for (std::size_t p = 1; p < queues[q].contenders.size(); ++p)
                if (!owner(q, p).empty()) waits_.push_back({q, p});
    }
    // Returns the tokens of all waits that are the newest wait of a cycle.
    [[nodiscard]] std::set<fencing_token> newest() const {
        std::set<fencing_token> found;
        for (const auto& wait : waits_) {
            std::set<std::string> reached;
            if (reaches(wait, token(wait), owner(wait.queue, wait.position), reached))
                found.insert(token(wait));
        }
        return found;
    }

private:
    // Returns true if `target` blocks `wait`, directly or through waits that are older than `limit`.
    bool reaches(const plain_wait& wait, fencing_token limit, const std::string& target,
                 std::set<std::string>& reached) const {
        for (std::size_t p = 0; p != wait.position; ++p) {
            const auto& blocker = owner(wait.queue, p);
            if (blocker == target) return true;
            if (blocker.empty() || !reached.insert(blocker).second) continue;
            for (const auto& next : waits_)
                if (owner(next.queue, next.position) == blocker && token(next) < limit &&
                    reaches(next, limit, target, reached))
                    return true;
        }
        return false;
    }
    [[nodiscard]] const std::string& owner(std::size_t q, std::size_t p) const {
        return queues_[q].contenders[p].metadata.owner;
    }
    [[nodiscard]] fencing_token token(const plain_wait& wait) const {
        return queues_[wait.queue].contenders[wait.position].token;
    }

    const std::vector<lock_queue>& queues_;
    std::vector<plain_wait> waits_;
};

std::vector<lock_queue> random_queues(base::random& chance) {
    const auto locks = 1 + chance() % 5;
    const auto owners = 1 + chance() % 6;
    std::vector<std::vector<entry>> entries(locks);
    const auto total = chance() % 16;
    for (std::uint64_t czxid = 1; czxid <= total; ++czxid) {
        const auto waiter = chance() % (owners + 1);
        entries[chance() % locks].emplace_back(waiter == 0 ? "" : "o" + std::to_string(waiter),
                                               czxid);
    }
    std::vector<lock_queue> queues;
    for (std::size_t i = 0; i != locks; ++i)
        queues.push_back(queue("/" + std::to_string(i), entries[i]));
    return queues;
}

const contender* znode_in(const std::vector<lock_queue>& queues, const std::string& path,
                          const contender& wanted) {
    for (const auto& each : queues)
        if (each.path == path)
            for (const auto& found : each.contenders)
                if (found.token == wanted.token) return &found;
    return nullptr;
}

// Checks that each member waits in a queue behind the next member, and that the first member's wait is the newest.
void expect_cycle(const std::vector<lock_queue>& queues, const deadlock& cycle) {
    ASSERT_FALSE(cycle.members.empty());
    std::set<std::string> owners;
    for (std::size_t i = 0; i != cycle.members.size(); ++i) {
        const auto& own = cycle.members[i];
        const auto& next = cycle.members[(i + 1) % cycle.members.size()];
        EXPECT_TRUE(owners.insert(own.owner).second) << text_of(cycle);
        EXPECT_EQ(own.owner, own.waiting.metadata.owner);
        EXPECT_EQ(own.owner, own.holding.metadata.owner);
        EXPECT_EQ(own.awaits, next.holds);
        EXPECT_LT(next.holding.position, own.waiting.position);
        EXPECT_NE(znode_in(queues, own.awaits, own.waiting), nullptr);
        EXPECT_NE(znode_in(queues, own.holds, own.holding), nullptr);
        EXPECT_LE(own.waiting.token, cycle.members.front().waiting.token);
    }
}

void remove(std::vector<lock_queue>& queues, const deadlock_member& victim) {
    for (auto& each : queues)
        if (each.path == victim.awaits)
            std::erase_if(each.contenders, [&](const auto& standing) {
                return standing.token == victim.waiting.token;
            });
}

TEST(wait_for_graph, finds_what_a_plain_search_finds) {
    base::random chance{20261121};
    std::size_t cyclic = 0;
    for (int i = 0; i != 20'000; ++i) {
        auto queues = random_queues(chance);
        const wait_for_graph graph{queues};
        const auto found = graph.cycles();
        std::set<fencing_token> newest;
        for (const auto& cycle : found) {
            expect_cycle(queues, cycle);
            const auto& first = cycle.members.front();
            newest.insert(first.waiting.token);
            const auto closed = graph.cycle_closed_by(first.awaits, first.waiting.name);
            ASSERT_TRUE(closed);
        }
        ASSERT_EQ(newest, plain_search{queues}.newest()) << "round " << i;
        if (!found.empty()) ++cyclic;
        // When the newest wait of each cycle has been removed, no cycle may remain.
        for (const auto& cycle : found) remove(queues, cycle.members.front());
        ASSERT_TRUE(wait_for_graph{queues}.cycles().empty()) << "round " << i;
        if (HasFailure()) return;
    }
    EXPECT_GT(cyclic, 1'000U);
    EXPECT_LT(cyclic, 19'000U);
}

}  // namespace
}  // namespace turnstile::detail
