// SPDX-License-Identifier: Apache-2.0
// Helpers for tests with other clients: running these clients, and finding out which session watches which znode.
#pragma once

#include <cstdint>
#include <set>
#include <sstream>
#include <string>

#include "integration/support.hpp"
#include "interop/critical_section.hpp"
#include "interop/signal.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

// Returns the sessions that watch the znode. A waiter watches the contender that it waits for.
inline std::set<std::int64_t> watchers(const std::string& znode) {
    std::set<std::int64_t> found;
    std::istringstream watches{server().four_letter_word(0, "wchp")};
    bool here = false;
    for (std::string line; std::getline(watches, line);) {
        if (line.starts_with('/')) {
            here = line == znode;
        } else if (here && line.starts_with('\t')) {
            found.insert(static_cast<std::int64_t>(std::stoull(line.substr(1), nullptr, 16)));
        }
    }
    return found;
}

// Waits until another client queues behind this hold.
[[nodiscard]] inline bool is_waited_for(const guard& hold, const client& owner) {
    return eventually([&] {
        auto others = watchers(hold.znode());
        others.erase(owner.session().id);
        return !others.empty();
    });
}

// Waits until `waiter` watches this znode of another client's contender.
[[nodiscard]] inline bool waits_for(const client& waiter, const std::string& znode) {
    return eventually([&] { return watchers(znode).contains(waiter.session().id); });
}

// Returns true if the non-blocking acquire failed because another contender was ahead.
template <class T>
[[nodiscard]] bool is_busy(const result<T>& tried) {
    return !tried && tried.error() == errc::busy;
}

// Waits for the program's end, and checks that it succeeded.
inline void expect_done(testing::process& theirs) {
    ASSERT_TRUE(theirs.wait()) << theirs.output();
    EXPECT_EQ(theirs.exit_code(), 0) << theirs.output();
}

// `theirs` is another library's reader behind `writer`. The reader must get the lock when `writer` becomes a reader,
// and keep it when `writer` is released.
inline void let_in_beside(shared_mutex& lock, guard writer, testing::process& theirs,
                          const client& servers) {
    ASSERT_TRUE(is_waited_for(writer, servers)) << theirs.output();
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    lock.downgrade_to_shared(writer).value();
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    EXPECT_TRUE(writer.valid());
    EXPECT_EQ(lock.holders().value().size(), 2U);
    writer.release(limit()).value();
}

// Takes the lock in turns with another library's program, which takes it `their_grants` times. The first turn uses
// `hold`, which exists before the program starts. In each turn this library keeps the lock until the program's
// contender waits.
template <class Lock>
void take_turns(Lock& lock, result<guard> hold, testing::process& theirs,
                const critical_section& section, int their_grants) {
    fencing_token last;
    int turns = 0;
    int waited_for = 0;
    for (; hold; hold = lock.acquire({.timeout = limit()})) {
        ASSERT_TRUE(section.enter()) << "grant " << turns;
        EXPECT_LT(last, hold->fencing_token());
        last = hold->fencing_token();
        EXPECT_TRUE(eventually([&] {
            const bool waits = lock.queue().value().size() == 2;
            waited_for += waits ? 1 : 0;
            return waits || !theirs.running();
        }));
        EXPECT_TRUE(section.leave());
        hold->unlock();
        ++turns;
        if (!theirs.running()) break;
    }
    ASSERT_TRUE(hold) << hold.error().message();
    expect_done(theirs);
    EXPECT_GT(waited_for, 0);
    EXPECT_EQ(section.count(), turns + their_grants);
}

}  // namespace turnstile::tests
