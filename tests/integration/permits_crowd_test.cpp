// SPDX-License-Identifier: Apache-2.0
// Tests a semaphore with very many holds and waiters: the size of the packet in which a client sets its watches again,
// and the cost of a release after the limit of permits was lowered.
#include <atomic>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// Holds `count` permits, each by a separate guard.
class permit_holds {
public:
    permit_holds(client& servers, const std::string& path, int count)
        : pool_{servers, path, count} {
        all_.resize(static_cast<std::size_t>(count));
        for (auto& hold : all_)
            pool_.async_acquire(1, {.timeout = limit()}, [&](result<guard> mine) {
                if (mine) hold = std::move(*mine);
                answered_.set();
            });
        EXPECT_TRUE(answered_.wait(all_.size()));
    }
    void release_one() { EXPECT_TRUE(all_.back().release(limit())); }

private:
    semaphore pool_;
    testing::event answered_;
    std::vector<guard> all_;
};

// A waiter behind the holds. The test can cut its connection.
struct first_in_line {
    first_in_line(const ensemble& servers, const std::string& path)
        : proxy{servers.connect_string(0)}, own{connect(proxy.address())} {
        listener = own->on_change([this](const session_change& step) {
            if (step.to == session_state::lost) lost.set();
        });
        semaphore pool{*own, path};
        acquire_options options{.timeout = limit()};
        options.on_queued = [this](std::size_t) { queued.set(); };
        pool.async_acquire(1, options, [this](result<guard> mine) {
            EXPECT_TRUE(mine) << mine.error().message();
            answered.set();
        });
    }
    void wait_for_watches(const ensemble& servers, const std::string& path) {
        EXPECT_TRUE(queued.wait());
        EXPECT_TRUE(eventually([&] {
            return servers.four_letter_word(0, "wchp").find(path + '\n') != std::string::npos;
        }));
    }
    // Waits until the server has `count` watches of this session, and the client knows them. After a reconnect a client
    // sets only the watches that it knows.
    void wait_for_as_many_watches(const ensemble& servers, const std::string& path,
                                  std::size_t count) {
        EXPECT_TRUE(queued.wait());
        const auto session = (std::ostringstream{} << "0x" << std::hex << own->session().id).str();
        EXPECT_TRUE(eventually([&] {
            std::istringstream lines{servers.four_letter_word(0, "wchp")};
            std::size_t found = 0;
            for (std::string line; std::getline(lines, line);)
                if (line.find(session) != std::string::npos) ++found;
            return found >= count;
        }));
        EXPECT_TRUE(read_node(*own, path)) << "behind the answers that set them";
    }

    testing::event queued;
    testing::event answered;
    testing::event lost;
    tcp_proxy proxy;
    std::unique_ptr<client> own;
    listener_handle listener;
};

class permits_crowd : public ::testing::Test {
protected:
    // The name makes each path at least a hundred bytes long.
    const std::string path = lock_path() + std::string(40, 'x');
};

// After each reconnect, the client sends its watches in one packet. One watch for each hold would exceed the server's
// limit.
TEST_F(permits_crowd, is_waited_for_with_few_watches) {
    ensemble servers{{.jute_maxbuffer = 16 * 1024}};
    const auto holder = connect(servers.connect_string());
    permit_holds all{*holder, path, 200};
    first_in_line next{servers, path};
    next.wait_for_watches(servers, path);
    next.proxy.cut();
    all.release_one();
    EXPECT_TRUE(next.answered.wait());
    EXPECT_FALSE(next.lost.is_set()) << "it kept its session";
}

// If even a few watches exceed the server's limit (jute.maxbuffer), the client must replace its session. If it kept the
// session, each new connection would extend the session, and the session's znodes would outlive the process.
TEST_F(permits_crowd, whose_watches_a_server_does_not_take_are_waited_for_in_another_session) {
    ensemble servers{{.jute_maxbuffer = 4 * 1024}};
    const auto holder = connect(servers.connect_string());
    constexpr int k_holds = 60;
    permit_holds all{*holder, path, k_holds};
    first_in_line next{servers, path};
    next.wait_for_as_many_watches(servers, path, k_holds);
    next.proxy.cut();
    EXPECT_TRUE(next.lost.wait());
    all.release_one();
    EXPECT_TRUE(next.answered.wait());
}

// Lets `waiters` waiters get a semaphore's only permit, one after the other. If the semaphore's limit was higher before
// (`limit_before`), a release might wake too many waiters. Returns the number of the waiters' requests.
std::uint64_t requests_of_waiters(const std::string& folder, std::size_t waiters,
                                  std::uint32_t limit_before) {
    tcp_proxy proxy{server().connect_string(0)};
    const auto holder = connect(server().connect_string());
    const auto others = connect(proxy.address(), quick_options(10s));
    semaphore held{*holder, folder, limit_before};
    auto first = held.acquire({.timeout = limit()}).value();
    auto second = limit_before == 1 ? guard{} : held.acquire({.timeout = limit()}).value();
    if (limit_before != 1) held.set_limit(1, {.timeout = limit()}).value();
    semaphore wanted{*others, folder};
    testing::event queued;
    testing::event answered;
    std::atomic<std::size_t> granted{0};
    acquire_options options{.timeout = limit()};
    options.on_queued = [&queued](std::size_t) { queued.set(); };
    for (std::size_t i = 0; i != waiters; ++i)
        wanted.async_acquire(1, options, [&](const result<guard>& mine) {
            if (mine) ++granted;
            answered.set();  // the guard's destructor releases the permit
        });
    EXPECT_TRUE(queued.wait(waiters));
    proxy.reset_counters();
    EXPECT_TRUE(first.release(limit()));
    if (second) {
        EXPECT_TRUE(second.release(limit()));
    }
    EXPECT_TRUE(answered.wait(waiters));
    EXPECT_EQ(granted, waiters);
    return proxy.requests();
}

TEST_F(permits_crowd, of_waiters_is_woken_one_by_one_after_the_semaphore_has_shrunk) {
    constexpr int k_waiters = 300;
    const auto as_ever = requests_of_waiters(path + "-as-ever", k_waiters, 1);
    const auto shrunk = requests_of_waiters(path + "-shrunk", k_waiters, k_waiters);
    EXPECT_GE(as_ever, std::uint64_t{k_waiters});
    RecordProperty("as_ever", std::to_string(as_ever));
    RecordProperty("shrunk", std::to_string(shrunk));
    // If the limit was higher before, each waiter may send one more read, and some requests that extend the lease. If a
    // release woke all waiters, they would send tens of thousands of requests.
    EXPECT_LE(shrunk, as_ever * 2);
}

}  // namespace
}  // namespace turnstile::tests
