// SPDX-License-Identifier: Apache-2.0
// All places where user code runs for a client: handlers, callbacks, listeners, stop callbacks, an election's function.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "client/support.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;

// The client whose calls a test makes, and another client, which holds some of the locks that these calls request.
struct surroundings {
    client& mine;
    client& theirs;
    std::string tree;
    guard held;   // hold of /held, which outlasts every call
    guard order;  // hold of /asked
};

struct place {
    const char* name;
    // Makes the library run `call` once as user code of one kind, such as a handler or a callback. `enter` stores in
    // `kept` the objects that must live until the client closes.
    std::function<void(surroundings& at, std::function<void()> call, std::vector<std::any>& kept)>
        enter;
};
inline void PrintTo(const place& there, std::ostream* out) {
    *out << there.name;
}

template <class T>
T& keep(std::vector<std::any>& all, std::shared_ptr<T> object) {
    return **std::any_cast<std::shared_ptr<T>>(&all.emplace_back(std::move(object)));
}

// Makes a call run only once, although the library would repeat it.
inline std::function<void()> once(std::function<void()> call) {
    return [call = std::move(call), flag = std::make_shared<std::once_flag>()] {
        std::call_once(*flag, call);
    };
}

inline void in_a_handler(surroundings& at, std::function<void()> call, std::vector<std::any>&) {
    mutex lock{at.mine, "/place"};
    lock.async_acquire({}, [call = std::move(call)](const result<guard>&) { call(); });
}

inline void in_an_acquires_callback(surroundings& at, acquire_options&& options,
                                    std::vector<std::any>& kept) {
    mutex lock{at.mine, "/place"};
    keep(kept, std::make_shared<guard>(lock.acquire(std::move(options)).value()));
}

inline void in_on_entered(surroundings& at, std::function<void()> call, std::vector<std::any>&) {
    mutex lock{at.mine, "/place"};
    lock.async_acquire(
        {.on_entered = [call = once(std::move(call))](const std::string&) { call(); }},
        [](const result<guard>&) {});
}

inline void in_on_queued(surroundings& at, std::function<void()> call,
                         std::vector<std::any>& kept) {
    mutex theirs{at.theirs, "/place"};
    keep(kept, std::make_shared<guard>(theirs.acquire().value()));
    mutex lock{at.mine, "/place"};
    lock.async_acquire({.on_queued = [call = once(std::move(call))](std::size_t) { call(); }},
                       [](const result<guard>&) {});
}

inline void in_on_lost(surroundings& at, std::function<void()> call, std::vector<std::any>& kept) {
    in_an_acquires_callback(at, {.on_lost = [call = std::move(call)](const error&) { call(); }},
                            kept);
    const mutex lock{at.theirs, "/place"};
    const revocation orders{at.theirs, "/place"};
    static_cast<void>(orders.take_now(lock.holder().value().value(), {}));
}

inline void in_a_guards_on_lost(surroundings& at, std::function<void()> call,
                                std::vector<std::any>& kept) {
    mutex lock{at.mine, "/place"};
    auto& hold = keep(kept, std::make_shared<guard>(lock.acquire().value()));
    hold.on_lost([call = std::move(call)](const error&) { call(); });
    const revocation orders{at.theirs, "/place"};
    static_cast<void>(orders.take_now(lock.holder().value().value(), {}));
}

inline void in_on_at_risk(surroundings& at, std::function<void()> call,
                          std::vector<std::any>& kept) {
    in_an_acquires_callback(at, {.on_at_risk = [call = once(std::move(call))](auto) { call(); }},
                            kept);
    local::faults faults{at.tree};
    const auto session = at.mine.session().id;
    faults.detach(session);
    faults.attach(session);
}

inline void in_an_upgrades_handler(surroundings& at, std::function<void()> call,
                                   std::vector<std::any>&) {
    shared_mutex lock{at.mine, "/place"};
    lock.async_upgrade(lock.acquire_upgrade().value(), {},
                       [call = std::move(call)](const guard&, const result<void>&) { call(); });
}

inline void in_on_exception(surroundings& at, std::function<void()> call,
                            std::vector<std::any>& kept) {
    auto& seat = keep(
        kept, std::make_shared<leader>(
                  at.mine, "/place", [](leader_term&) { throw std::runtime_error{"the term"}; },
                  leader_options{.once = true,
                                 .on_exception = [call = std::move(call)](auto) { call(); }}));
    seat.start();
}

inline void in_on_expiring(surroundings& at, std::function<void()> call,
                           std::vector<std::any>& kept) {
    in_an_acquires_callback(
        at, {.warn_before = 1h, .on_expiring = [call = once(std::move(call))](auto) { call(); }},
        kept);
}

inline void in_on_asked(surroundings& at, std::function<void()> call, std::vector<std::any>& kept) {
    in_an_acquires_callback(
        at, {.on_asked_to_release = [call = once(std::move(call))](const auto&) { call(); }}, kept);
    const mutex lock{at.theirs, "/place"};
    const revocation orders{at.theirs, "/place"};
    EXPECT_TRUE(orders.ask(lock.holder().value().value(), {}));
}

inline void in_a_stop_callback(surroundings& at, std::function<void()> call,
                               std::vector<std::any>& kept) {
    mutex lock{at.mine, "/place"};
    auto& hold = keep(kept, std::make_shared<guard>(lock.acquire().value()));
    keep(kept,
         std::make_shared<std::stop_callback<std::function<void()>>>(hold.lost(), std::move(call)));
    const revocation orders{at.theirs, "/place"};
    static_cast<void>(orders.take_now(lock.holder().value().value(), {}));
}

inline void in_a_listener(surroundings& at, std::function<void()> call,
                          std::vector<std::any>& kept) {
    keep(kept, std::make_shared<listener_handle>(
                   at.mine.on_change([call = once(std::move(call))](const session_change& step) {
                       if (step.to == session_state::connected) call();
                   })));
    local::faults faults{at.tree};
    faults.expire(at.mine.session().id);
}

inline void in_a_latchs_listener(surroundings& at, std::function<void()> call,
                                 std::vector<std::any>& kept) {
    auto& seat = keep(kept, std::make_shared<leader>(at.mine, "/place"));
    keep(kept, std::make_shared<listener_handle>(
                   seat.on_change([call = once(std::move(call))](bool) { call(); })));
    seat.start();
}

inline void in_a_function(surroundings& at, std::function<void()> call,
                          std::vector<std::any>& kept) {
    auto& seat =
        keep(kept, std::make_shared<leader>(
                       at.mine, "/place", [call = std::move(call)](leader_term&) { call(); },
                       leader_options{.once = true}));
    seat.start();
}

inline void in_a_commits_handler(surroundings& at, std::function<void()> call,
                                 std::vector<std::any>& kept) {
    mutex lock{at.mine, "/place"};
    auto& hold = keep(kept, std::make_shared<guard>(lock.acquire().value()));
    hold.async_commit(transaction{}.create("/by-place", ""), {},
                      [call = std::move(call)](const result<commit_result>&) { call(); });
}

inline const std::vector<place> k_places{
    {"handler", in_a_handler},
    {"on_entered", in_on_entered},
    {"on_queued", in_on_queued},
    {"on_lost", in_on_lost},
    {"guards_on_lost", in_a_guards_on_lost},
    {"on_at_risk", in_on_at_risk},
    {"on_expiring", in_on_expiring},
    {"on_asked_to_release", in_on_asked},
    {"stop_callback", in_a_stop_callback},
    {"listener", in_a_listener},
    {"latchs_listener", in_a_latchs_listener},
    {"function", in_a_function},
    {"commits_handler", in_a_commits_handler},
    {"upgrades_handler", in_an_upgrades_handler},
    {"on_exception", in_on_exception},
};

}  // namespace turnstile::tests
