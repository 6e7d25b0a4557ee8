// SPDX-License-Identifier: Apache-2.0
#include "admin/api/changes.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "admin/api/lock_filter.hpp"
#include "admin/http/limits.hpp"
#include "admin/http/query.hpp"
#include "admin/http/refusal.hpp"
#include "turnstile/node.hpp"
#include "turnstile/revocation.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t k_longest_text = 1'024;  // the limit of turnstile::revocation
constexpr milliseconds k_asked_for{5'000};
constexpr milliseconds k_longest_wait{60'000};
constexpr milliseconds k_between_looks{200};
constexpr std::chrono::seconds k_patience{10};

struct order {
    lock_key lock;
    std::string znode;
    std::string token;  // the token of the contender that the user saw; empty: any token
    std::string by;
    std::string why;
    std::string user;
    std::string from;
};

void check_members(const json& body, const std::vector<std::string>& known) {
    if (!body.is_object()) throw refusal{400, "bad_request", "the body is no JSON object"};
    for (const auto& [name, value] : body.items())
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw refusal{400, "bad_request", "the body has an unknown member: " + name};
}

// Returns the person's name for the order's record. For a named user, this is the user's name. With a shared secret, it
// is the name in the request's body.
std::string author_of(const json& body, const identity& caller) {
    if (caller.shared) return text_member(body, "who", true);
    const auto said = text_member(body, "who", false);
    if (!said.empty() && said != caller.user)
        throw refusal{400, "bad_request", "who: must be absent or your name, " + caller.user};
    return caller.user;
}

order order_of(const json& body, const identity& caller) {
    return {{lock_path(text_member(body, "path", true)),
             lock_kind_named(text_member(body, "kind", true))},
            text_member(body, "znode", true),
            text_member(body, "token", false),
            author_of(body, caller),
            text_member(body, "why", true),
            caller.user,
            caller.from};
}

refusal refusal_of(const error& failure) {
    const auto code = failure.code();
    if (code == errc::removed) return {409, "gone", "the contender has left the queue"};
    if (code == errc::bad_path || code == errc::bad_option)
        return {400, "bad_request", failure.message()};
    if (code == errc::no_permission) return {403, "no_permission", failure.message()};
    return {503, "servers", failure.message()};
}

bool is_wanted(const contender& each, const order& wanted) {
    const bool same = wanted.token.empty() || each.token.to_string() == wanted.token;
    return each.name == wanted.znode && same;
}

// Finds the contender that the user saw. Compares not only the name but also the token: names of other libraries'
// contenders may have no GUID, and may occur again after the folder was deleted and created again. A token never occurs
// again.
contender target_of(site& at, const order& wanted, const std::stop_token& stop) {
    auto found = locks_at(at.servers, wanted.lock.first, {.timeout = k_patience, .stop = stop});
    if (!found) throw refusal_of(found.error());
    for (const auto& lock : *found) {
        if (lock.kind != wanted.lock.second) continue;
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& each : *part)
                if (is_wanted(each, wanted)) return each;
    }
    throw refusal{409, "gone", wanted.znode + " is not in the queue any more"};
}

// Records one order in the audit log. The constructor records it on the disk, before the order is executed. conclude()
// records its outcome.
class record {
public:
    record(site& at, const char* action, const order& wanted) : at_{at} {
        try {
            number_ = at_.audit.add({.time = std::chrono::system_clock::now(),
                                     .action = action,
                                     .path = wanted.lock.first,
                                     .kind = to_string(wanted.lock.second),
                                     .znode = wanted.znode,
                                     .user = wanted.user,
                                     .by = wanted.by,
                                     .why = wanted.why,
                                     .from = wanted.from,
                                     .outcome = "begun"});
        } catch (const std::runtime_error& failure) {
            throw refusal{503, "audit",
                          std::string{failure.what()} + "; the order was not executed"};
        }
    }
    void conclude(const std::string& outcome, const std::string& message = {}) {
        try {
            at_.audit.conclude(number_, outcome, message);
        } catch (const std::runtime_error&) {
            // The log could not write to its file. The file then lacks the order's outcome, but the memory has it.
        }
    }

private:
    site& at_;
    std::uint64_t number_ = 0;
};

template <class Work>
json carried_out(site& at, const char* action, const order& wanted, const Work& work) {
    order_register::entry mine{at.orders,
                               {action, wanted.user, wanted.by, wanted.why, wanted.from,
                                wanted.lock, wanted.znode, std::chrono::system_clock::now()},
                               at.stop.get_token()};
    record written{at, action, wanted};
    try {
        const std::string outcome = work(mine);
        written.conclude(outcome);
        return {{"outcome", outcome}};
    } catch (const refusal& failure) {
        if (const auto by = mine.cancelled_by()) {
            const auto message = "cancelled by " + *by + ": " + failure.message();
            written.conclude("cancelled", message);
            throw refusal{409, "cancelled", message};
        }
        written.conclude(failure.code() == "gone" ? "gone_before" : "failed", failure.message());
        throw;
    } catch (const std::exception& failure) {
        written.conclude("failed", failure.what());
        throw;
    }
}

bool went(site& at, const order& wanted, milliseconds limit, const std::stop_token& stop) {
    const auto end = boottime_clock::now() + limit;
    const auto znode = child_path(wanted.lock.first, wanted.znode);
    std::mutex mutex;
    std::condition_variable_any pause;
    for (;;) {
        const auto there = read_node(at.servers, znode, {.timeout = k_patience});
        if (!there && there.error() == errc::no_node) return true;
        const auto left = end - boottime_clock::now();
        if (left.count() <= 0 || stop.stop_requested()) return false;
        std::unique_lock lock{mutex};
        pause.wait_for(lock, stop, std::min<boottime_clock::duration>(left, k_between_looks),
                       [] { return false; });
    }
}

const char* word_of(revocation_outcome outcome) {
    switch (outcome) {
        case revocation_outcome::gave_way: return "gave_way";
        case revocation_outcome::deleted: return "deleted";
        case revocation_outcome::gone_before: return "gone_before";
    }
    return "gone_before";
}

milliseconds wait_asked(const json& body) {
    const auto found = body.find("wait_ms");
    if (found == body.end()) return k_asked_for;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 0 ||
        found->get<std::int64_t>() > k_longest_wait.count())
        throw refusal{400, "bad_request", "wait_ms: expected a number from 0 to 60000"};
    return milliseconds{found->get<std::int64_t>()};
}

// Called after an order was cancelled. Removes the request to release from the holder's znode, and throws a refusal
// that reports the cancellation.
[[noreturn]] void withdraw(const revocation& orders, const contender& target, revoke_options how) {
    how.stop = {};
    const auto gone = orders.withdraw(target, how);
    throw refusal{
        503, "servers",
        gone ? "the order was cancelled: the server withdrew the request from the holder, and "
               "did not take the lock"
             : "the order was cancelled, but the request to release stays in the holder's "
               "znode: " +
                   gone.error().message()};
}

// Another library's contender states no session timeout. The order then assumes this client's session timeout.
revoke_options options_for(const client& servers, const contender& target, revoke_options how) {
    if (target.metadata.timeout.empty()) how.wait = servers.session().timeout * 2;
    return how;
}

std::string take_from(site& at, const order& wanted, order_register::entry& mine,
                      milliseconds asked) {
    const auto target = target_of(at, wanted, mine.stop());
    const revocation orders{at.servers, wanted.lock.first};
    const auto how =
        options_for(at.servers, target, {.who = wanted.by, .why = wanted.why, .stop = mine.stop()});
    if (const auto told = orders.ask(target, how); !told) throw refusal_of(told.error());
    at.reading.note_taken(wanted.lock, wanted.znode);
    const auto longest = orders.longest_wait(target, how);
    if (!longest) throw refusal_of(longest.error());
    mine.set_at_most(asked + *longest);
    if (went(at, wanted, asked, mine.stop())) return word_of(revocation_outcome::gave_way);
    if (mine.stop().stop_requested()) withdraw(orders, target, how);
    const auto outcome = orders.take(target, how);
    if (!outcome) throw refusal_of(outcome.error());
    return word_of(*outcome);
}

}  // namespace

std::string text_member(const json& body, const char* name, bool required) {
    const auto found = body.find(name);
    const bool there = found != body.end() && found->is_string();
    auto text = there ? found->get<std::string>() : std::string{};
    if ((found != body.end() && !there) || (required && text.empty()))
        throw refusal{400, "bad_request", std::string{name} + ": expected a text"};
    if (text.size() > k_longest_text)
        throw refusal{
            400, "bad_request",
            std::string{name} + ": longer than " + std::to_string(k_longest_text) + " bytes"};
    return text;
}

json ask(site& at, const json& said, const identity& caller) {
    check_members(said, {"path", "kind", "znode", "token", "who", "why"});
    const auto wanted = order_of(said, caller);
    return carried_out(at, "ask", wanted, [&](order_register::entry& mine) -> std::string {
        const revocation orders{at.servers, wanted.lock.first};
        const auto told = orders.ask(target_of(at, wanted, mine.stop()),
                                     {.who = wanted.by, .why = wanted.why, .stop = mine.stop()});
        if (!told) throw refusal_of(told.error());
        return "asked";
    });
}

json take(site& at, const json& said, const identity& caller) {
    check_members(said, {"path", "kind", "znode", "token", "who", "why", "confirm", "wait_ms"});
    const auto wanted = order_of(said, caller);
    if (text_member(said, "confirm", true) != wanted.lock.first)
        throw refusal{400, "bad_request", "confirm: must be the path of the lock"};
    const auto asked = wait_asked(said);
    return carried_out(at, "take", wanted, [&](order_register::entry& mine) {
        return take_from(at, wanted, mine, asked);
    });
}

std::optional<milliseconds> take_at_most(const client& servers, const std::string& path,
                                         const contender& target) {
    const auto longest =
        revocation{servers, path}.longest_wait(target, options_for(servers, target, {}));
    if (!longest) return std::nullopt;
    return k_asked_for + *longest;
}

json cancel(site& at, const json& said, const identity& caller) {
    check_members(said, {"order", "who"});
    const auto found = said.find("order");
    if (found == said.end() || !found->is_number_unsigned())
        throw refusal{400, "bad_request", "order: expected the number of an order"};
    if (!at.orders.cancel(found->get<std::uint64_t>(), author_of(said, caller)))
        throw refusal{404, "no_such_order", found->dump() + ": no such order is under way"};
    return {{"outcome", "cancelled"}};
}

}  // namespace turnstile::admin
