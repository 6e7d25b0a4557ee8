// SPDX-License-Identifier: Apache-2.0
// Tests a resolver of host names that takes longer than the client may try to connect.
#include <netdb.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "real_resolver.hpp"
#include "redis/coordinator.hpp"
#include "redis/line.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"
#include "support/wake_up.hpp"

namespace {

constexpr std::string_view k_slow = ".slow.test";

std::atomic<std::int64_t> seconds_ahead{0};  // offset of the clock for deadlines
std::atomic<int> resolved{0};
std::atomic<turnstile::support::wake_up*> told_of_each{nullptr};

}  // namespace

// The next two functions replace functions of the C library. For a name that ends with k_slow, the resolver seems to
// take a minute: it returns at once, and advances the clock for deadlines by a minute. Each of these names
// resolves to this machine.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node,
                                                                  const char* service,
                                                                  const addrinfo* hints,
                                                                  addrinfo** out) {
    const bool slow = node != nullptr && std::string_view{node}.ends_with(k_slow);
    if (!slow) return turnstile::tests::resolve_really(node, service, hints, out);
    ++resolved;
    seconds_ahead += 60;
    if (auto* const listener = told_of_each.load(); listener != nullptr) {
        listener->set();
        return EAI_AGAIN;
    }
    return turnstile::tests::resolve_really("127.0.0.1", service, hints, out);
}

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* out) noexcept {
    const auto done = static_cast<int>(::syscall(SYS_clock_gettime, clock, out));
    if (clock == CLOCK_BOOTTIME) out->tv_sec += seconds_ahead;
    return done;
}

namespace turnstile::tests {
namespace {

class slow_names : public on_redis {
protected:
    ~slow_names() override { told_of_each = nullptr; }

    [[nodiscard]] static std::string named(const std::string& host, const redis_server& where) {
        return host + std::string{k_slow} + ':' + std::to_string(where.port());
    }
    static core::server_error asked(const std::string& where) {
        session_recorder session{redis::make_coordinator(where)};
        session.attached();
        return session.ask(core::exists_op{"/"}).error;
    }
};

TEST_F(slow_names, of_a_server_leave_it_its_time) {
    const auto where = "redis://" + named("redis", server);
    EXPECT_EQ(asked(where), core::server_error::ok);
    EXPECT_TRUE(redis::make_coordinator(where)->diagnose().ends_with(": it answers"));
}

TEST_F(slow_names, of_sentinels_leave_them_and_their_server_their_time) {
    redis_server sentinel{
        {.config = "sentinel monitor locks 127.0.0.1 " + std::to_string(server.port()) + " 1\n",
         .sentinel = true}};
    sentinel.start();
    const auto where =
        "redis+sentinel://" + named("s1", sentinel) + ',' + named("s2", sentinel) + "/locks";
    EXPECT_EQ(asked(where), core::server_error::ok);
    EXPECT_TRUE(redis::make_coordinator(where)->diagnose().ends_with(": it answers"));
}

// A session that is closed waits for the current answer of the resolver, and starts no further resolution.
TEST_F(slow_names, that_nobody_waits_for_any_more_are_not_resolved) {
    support::wake_up closing;
    told_of_each = &closing;
    resolved = 0;
    const redis::line first{{"redis1" + std::string{k_slow}, server.port()}, nullptr, closing.fd()};
    const redis::line next{{"redis2" + std::string{k_slow}, server.port()}, nullptr, closing.fd()};
    EXPECT_TRUE(first.broken());
    EXPECT_TRUE(next.broken());
    EXPECT_EQ(resolved.load(), 1);
}

}  // namespace
}  // namespace turnstile::tests
