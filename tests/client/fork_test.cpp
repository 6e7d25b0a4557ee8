// SPDX-License-Identifier: Apache-2.0
// Tests the public calls in a forked child. No call may lock a mutex that the parent process has used. At the fork a
// thread of the parent may have held that mutex, and then the child would wait for ever. This program's
// pthread_mutex_lock finds calls that lock such a mutex.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "support.hpp"

namespace {

// The addresses of the mutexes that the parent has locked: a hash table without locks. The slot of a removed address is
// not used again.
class used_mutexes {
public:
    void add(const void* mutex) noexcept {
        for (std::size_t i = place(mutex);; i = (i + 1) % k_places) {
            const void* free = nullptr;
            if (places_[i].compare_exchange_strong(free, mutex) || free == mutex) return;
        }
    }
    // Called when the mutex is destroyed, or when a new mutex has its address.
    void remove(const void* mutex) noexcept {
        for (std::size_t i = place(mutex); places_[i] != nullptr; i = (i + 1) % k_places)
            if (places_[i] == mutex) places_[i] = &removed_;
    }
    [[nodiscard]] bool contains(const void* mutex) const noexcept {
        for (std::size_t i = place(mutex); places_[i] != nullptr; i = (i + 1) % k_places)
            if (places_[i] == mutex) return true;
        return false;
    }

private:
    static constexpr std::size_t k_places = std::size_t{1} << 20;
    static std::size_t place(const void* mutex) noexcept {
        return reinterpret_cast<std::uintptr_t>(mutex) / alignof(pthread_mutex_t) % k_places;
    }
    const char removed_ = 0;
    std::array<std::atomic<const void*>, k_places> places_{};
};

used_mutexes used;
std::atomic<bool> in_child{false};
std::atomic<bool> has_locked{false};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static const auto real =
        reinterpret_cast<decltype(&pthread_mutex_lock)>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    if (!in_child)
        used.add(mutex);
    else if (used.contains(mutex))
        has_locked = true;
    return real(mutex);
}

extern "C" __attribute__((visibility("default"))) int pthread_mutex_init(
    pthread_mutex_t* mutex, const pthread_mutexattr_t* how) {
    static const auto real =
        reinterpret_cast<decltype(&pthread_mutex_init)>(::dlsym(RTLD_NEXT, "pthread_mutex_init"));
    used.remove(mutex);
    return real(mutex, how);
}

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

struct call {
    const char* name;
    std::function<void()> run;
};

// Runs the calls in a forked child. Returns the names of the calls that locked a mutex of the parent, one per line, and
// a line about the child's end if the child did not end by itself.
std::string run_in_child(const std::vector<call>& calls) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const auto child = ::fork();
    if (child == 0) {
        ::alarm(static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(limit()).count()));
        in_child = true;
        for (const auto& each : calls) {
            has_locked = false;
            try {
                each.run();
            } catch (const std::system_error&) {
            }
            if (!has_locked) continue;
            const auto line = std::string{each.name} + '\n';
            if (::write(ends[1], line.data(), line.size()) < 0) ::_exit(2);
        }
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    ::close(ends[1]);
    std::string found;
    std::array<char, 256> part{};
    for (ssize_t size = 0; (size = ::read(ends[0], part.data(), part.size())) > 0;)
        found.append(part.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (status != 0) found += "the child ended with status " + std::to_string(status) + '\n';
    return found;
}

// Makes a call of each member function that a guard has.
std::vector<call> calls_of(guard& hold, const guard& further) {
    const auto writes = transaction{}.put("/data", "1");
    return {
        {"fencing_token", [&] { EXPECT_EQ(hold.fencing_token(), fencing_token{}); }},
        {"fencing_tokens", [&] { static_cast<void>(hold.fencing_tokens()); }},
        {"znode", [&] { static_cast<void>(hold.znode()); }},
        {"valid", [&] { EXPECT_FALSE(hold.valid()); }},
        {"valid_until", [&] { static_cast<void>(hold.valid_until()); }},
        {"remaining", [&] { static_cast<void>(hold.remaining()); }},
        {"evidence", [&] { static_cast<void>(hold.evidence()); }},
        {"status", [&] { static_cast<void>(hold.status()); }},
        {"lost", [&] { static_cast<void>(hold.lost()); }},
        {"on_lost", [&] { hold.on_lost([](const error&) {}); }},
        {"commit", [&, writes] { static_cast<void>(hold.commit(writes)); }},
        {"commit under another hold",
         [&, writes] { static_cast<void>(hold.commit(transaction{writes}.under(further))); }},
        {"async_commit", [&, writes] { hold.async_commit(writes, {}, [](const auto&) {}); }},
        {"read_node", [&] { static_cast<void>(read_node(hold, "/data")); }},
        {"release", [&] { static_cast<void>(hold.release()); }},
    };
}

class forked_child : public shell_test {
protected:
    const std::unique_ptr<client> servers = connect();
    mutex other{*servers, "/other"};
    guard further = other.acquire({.timeout = limit()}).value();
};

TEST_F(forked_child, uses_no_mutex_of_a_hold) {
    mutex lock{*servers, "/lock"};
    mutex kept{*servers, "/kept", lock_options{.retain_for = limit()}};
    recursive_mutex again{*servers, "/again"};
    shared_mutex pages{*servers, "/pages"};
    semaphore permits{*servers, "/permits", 3};
    mutex left{*servers, "/left"};
    mutex right{*servers, "/right"};
    multi_lock both{left, right};
    std::vector<guard> holds;
    holds.push_back(lock.acquire({.timeout = limit()}).value());
    holds.push_back(kept.acquire({.timeout = limit()}).value());
    holds.push_back(again.acquire({.timeout = limit()}).value());
    holds.push_back(pages.acquire_upgrade({.timeout = limit()}).value());
    ASSERT_TRUE(pages.upgrade(holds.back(), {.timeout = limit()}));
    holds.push_back(permits.acquire({.timeout = limit()}).value());
    holds.push_back(both.acquire({.timeout = limit()}).value());
    for (auto& hold : holds) {
        ASSERT_TRUE(hold.commit(transaction{}.put("/data", "1").under(further))) << hold.path();
        static_cast<void>(hold.fencing_token());
        EXPECT_EQ(run_in_child(calls_of(hold, further)), "") << hold.path();
        EXPECT_TRUE(hold.valid()) << hold.path();
    }
}

TEST_F(forked_child, uses_no_mutex_of_a_quorum_lock) {
    client second{"local:" + fresh_tree()};
    client third{"local:" + fresh_tree()};
    quorum_lock most{{{*servers, "a"}, {second, "b"}, {third, "c"}}, "/most"};
    auto hold = most.acquire({.timeout = limit()}).value();
    auto calls = calls_of(hold, further);
    calls.push_back({"acquire", [&] { static_cast<void>(most.acquire()); }});
    calls.push_back({"heads", [&] { static_cast<void>(most.heads()); }});
    EXPECT_EQ(run_in_child(calls), "");
}

TEST_F(forked_child, uses_no_mutex_of_a_lock) {
    mutex lock{*servers, "/lock"};
    mutex kept{*servers, "/kept", lock_options{.retain_for = limit()}};
    recursive_mutex again{*servers, "/again"};
    shared_mutex pages{*servers, "/pages"};
    semaphore permits{*servers, "/permits", 3};
    counting_semaphore counted{permits};
    multi_lock both{lock, other};
    lock.lock();
    again.lock();
    counted.acquire();
    auto reader = pages.acquire_upgrade({.timeout = limit()}).value();
    auto keeper = kept.acquire({.timeout = limit()}).value();
    const auto handler = [](const result<guard>& answer) {
        EXPECT_EQ(answer.error(), errc::forked);
    };
    EXPECT_EQ(
        run_in_child({
            {"mutex::acquire", [&] { static_cast<void>(lock.acquire()); }},
            {"mutex::async_acquire", [&] { lock.async_acquire({}, handler); }},
            {"mutex::queue", [&] { static_cast<void>(lock.queue()); }},
            {"mutex::position", [&] { static_cast<void>(lock.position(further)); }},
            {"mutex::try_lock", [&] { static_cast<void>(lock.try_lock()); }},
            {"mutex::lock", [&] { lock.lock(); }},
            {"mutex::unlock", [&] { lock.unlock(); }},
            {"retained mutex::acquire", [&] { static_cast<void>(kept.acquire()); }},
            {"recursive_mutex::acquire", [&] { static_cast<void>(again.acquire()); }},
            {"recursive_mutex::async_acquire",
             [&] { again.async_acquire({}, owner::make(), handler); }},
            {"recursive_mutex::count", [&] { static_cast<void>(again.count()); }},
            {"recursive_mutex::try_lock", [&] { static_cast<void>(again.try_lock()); }},
            {"recursive_mutex::unlock", [&] { again.unlock(); }},
            {"shared_mutex::acquire_shared", [&] { static_cast<void>(pages.acquire_shared()); }},
            {"shared_mutex::upgrade", [&] { static_cast<void>(pages.upgrade(reader)); }},
            {"shared_mutex::downgrade_to_shared",
             [&] { static_cast<void>(pages.downgrade_to_shared(reader)); }},
            {"semaphore::acquire", [&] { static_cast<void>(permits.acquire()); }},
            {"semaphore::limit", [&] { static_cast<void>(permits.limit()); }},
            {"counting_semaphore::try_acquire", [&] { static_cast<void>(counted.try_acquire()); }},
            {"counting_semaphore::held", [&] { static_cast<void>(counted.held()); }},
            {"counting_semaphore::release", [&] { counted.release(); }},
            {"multi_lock::acquire", [&] { static_cast<void>(both.acquire()); }},
            {"multi_lock::async_acquire", [&] { both.async_acquire({}, handler); }},
        }),
        "");
    counted.release();
    again.unlock();
    lock.unlock();
}

TEST_F(forked_child, uses_no_mutex_of_an_election_or_a_gate) {
    std::optional<leader> seat{std::in_place, *servers, "/election"};
    seat->start();
    ASSERT_TRUE(seat->await({.timeout = limit()}));
    std::optional<leader_watch> watch{std::in_place, *servers, "/election", [](const auto&) {}};
    job_gate nightly{*servers, "/nightly", job_rules{.period = 1h}};
    rate_gate calls{*servers, "/calls", rate_rule{5, 1s}};
    ASSERT_TRUE(nightly.run([](job_run&) {}, {.timeout = limit()}).has_value());
    ASSERT_TRUE(calls.enter({.timeout = limit()}));
    bool told = false;
    const auto listener = seat->on_change([&](bool) { told = true; });
    EXPECT_EQ(run_in_child({
                  {"leads", [&] { static_cast<void>(seat->leads()); }},
                  {"valid_until", [&] { static_cast<void>(seat->valid_until()); }},
                  {"fencing_token", [&] { static_cast<void>(seat->fencing_token()); }},
                  {"lost", [&] { static_cast<void>(seat->lost()); }},
                  {"commit", [&] { static_cast<void>(seat->commit(transaction{}.check("/"))); }},
                  {"await", [&] { static_cast<void>(seat->await()); }},
                  {"terms", [&] { static_cast<void>(seat->terms()); }},
                  {"failure", [&] { static_cast<void>(seat->failure()); }},
                  {"participants", [&] { static_cast<void>(seat->participants()); }},
                  {"move_to", [&] { static_cast<void>(seat->move_to("other", 1s)); }},
                  {"on_change", [&] { const auto handle = seat->on_change([](bool) {}); }},
                  {"start", [&] { seat->start(); }},
                  {"resign", [&] { seat->resign(); }},
                  {"close", [&] { seat->close(); }},
                  {"~leader", [&] { seat.reset(); }},
                  {"leader_watch::failure", [&] { static_cast<void>(watch->failure()); }},
                  {"~leader_watch", [&] { watch.reset(); }},
                  {"job_gate::run", [&] { static_cast<void>(nightly.run([](job_run&) {})); }},
                  {"job_gate::last", [&] { static_cast<void>(nightly.last()); }},
                  {"rate_gate::enter", [&] { static_cast<void>(calls.enter()); }},
                  {"rate_gate::state", [&] { static_cast<void>(calls.state()); }},
              }),
              "");
    EXPECT_TRUE(seat->leads());
}

TEST_F(forked_child, uses_no_mutex_of_a_client) {
    auto listener = servers->on_change([](const session_change&) {});
    std::unique_ptr<client> own = connect();
    EXPECT_EQ(run_in_child({
                  {"state", [&] { EXPECT_EQ(own->state(), session_state::closed); }},
                  {"session", [&] { static_cast<void>(own->session()); }},
                  {"counters", [&] { static_cast<void>(own->counters()); }},
                  {"promises", [&] { static_cast<void>(own->promises()); }},
                  {"wait_connected", [&] { static_cast<void>(own->wait_connected(limit())); }},
                  {"on_change", [&] { const auto handle = own->on_change([](const auto&) {}); }},
                  {"listener_handle::reset", [&] { listener.reset(); }},
                  {"close", [&] { own->close(); }},
                  {"~client", [&] { own.reset(); }},
              }),
              "");
}

}  // namespace
}  // namespace turnstile::tests
