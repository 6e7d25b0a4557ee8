// SPDX-License-Identifier: Apache-2.0
#include "admin/api/changes.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "admin/api/lock_words.hpp"
#include "admin/http/limits.hpp"
#include "admin/http/query.hpp"
#include "admin/http/refusal.hpp"
#include "base/path.hpp"
#include "turnstile/node.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t k_longest_text = 1'024;  // as revocation takes it
constexpr milliseconds k_asked_for{5'000};
constexpr milliseconds k_longest_wait{60'000};
constexpr milliseconds k_between_looks{200};
constexpr std::chrono::seconds k_patience{10};

struct order {
    lock_key lock;
    std::string znode;
    std::string token;  // of the contender that was seen; empty: whichever has that name
    std::string by;
    std::string why;
};

void check_members(const json& body, const std::vector<std::string>& known) {
    if (!body.is_object()) throw refusal{400, "bad_request", "the body is no JSON object"};
    for (const auto& [name, value] : body.items())
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw refusal{400, "bad_request", "the body has a member that is not known: " + name};
}

order order_of(const json& body) {
    return {{lock_path(text_member(body, "path", true)),
             lock_kind_named(text_member(body, "kind", true))},
            text_member(body, "znode", true),
            text_member(body, "token", false),
            text_member(body, "who", true),
            text_member(body, "why", true)};
}

refusal refusal_of(const error& failure) {
    const auto code = failure.code();
    if (code == errc::removed) return {409, "gone", "the contender is not there any more"};
    if (code == errc::bad_path || code == errc::bad_option)
        return {400, "bad_request", failure.message()};
    if (code == errc::no_permission) return {403, "no_permission", failure.message()};
    return {503, "servers", failure.message()};
}

bool is_wanted(const contender& each, const order& wanted) {
    const bool same = wanted.token.empty() || each.token.to_string() == wanted.token;
    return each.name == wanted.znode && same;
}

// The very contender that was seen. A name without a GUID, another library's, comes again with a folder that is made
// anew; the token does not.
contender target_of(site& at, const order& wanted) {
    auto found = locks_at(at.servers, wanted.lock.first,
                          {.timeout = k_patience, .stop = at.stop.get_token()});
    if (!found) throw refusal_of(found.error());
    for (const auto& lock : *found) {
        if (lock.kind != wanted.lock.second) continue;
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& each : *part)
                if (is_wanted(each, wanted)) return each;
    }
    throw refusal{409, "gone", wanted.znode + " is not there any more"};
}

// The record of one order: on the disk before anything is done, and again with what came of it.
class record {
public:
    record(site& at, const char* action, const order& wanted, const std::string& from) : at_{at} {
        try {
            number_ = at_.audit.add({std::chrono::system_clock::now(), action, wanted.lock.first,
                                     to_string(wanted.lock.second), wanted.znode, wanted.by,
                                     wanted.why, from, "begun", ""});
        } catch (const std::runtime_error& failure) {
            throw refusal{503, "audit", std::string{failure.what()} + "; nothing was done"};
        }
    }
    void conclude(const std::string& outcome, const std::string& message = {}) {
        try {
            at_.audit.conclude(number_, outcome, message);
        } catch (const std::runtime_error&) {
            // The order was written down; that it was carried out stands in memory.
        }
    }

private:
    site& at_;
    std::uint64_t number_ = 0;
};

template <class Work>
json recorded(site& at, const char* action, const order& wanted, const std::string& from,
              const Work& work) {
    record written{at, action, wanted, from};
    try {
        const std::string outcome = work();
        written.conclude(outcome);
        return {{"outcome", outcome}};
    } catch (const refusal& failure) {
        written.conclude(failure.code() == "gone" ? "gone_before" : "failed", failure.message());
        throw;
    } catch (const std::exception& failure) {
        written.conclude("failed", failure.what());
        throw;
    }
}

// Whether the contender went within `limit`.
bool went(site& at, const order& wanted, milliseconds limit) {
    const auto end = boottime_clock::now() + limit;
    const auto znode = base::child_path(wanted.lock.first, wanted.znode);
    std::mutex mutex;
    std::condition_variable_any pause;
    for (;;) {
        const auto there = read_node(at.servers, znode, {.timeout = k_patience});
        if (!there && there.error() == errc::no_node) return true;
        const auto left = end - boottime_clock::now();
        if (left.count() <= 0 || at.stop.stop_requested()) return false;
        std::unique_lock lock{mutex};
        pause.wait_for(lock, at.stop.get_token(),
                       std::min<boottime_clock::duration>(left, k_between_looks),
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

// One of the orders that may be under way.
class turn {
public:
    explicit turn(std::atomic<std::size_t>& count) : count_{count} {
        if (count_.fetch_add(1) < k_most_takes) return;
        count_.fetch_sub(1);
        throw refusal{429, "too_many", "other orders are under way; try again in a while"};
    }
    ~turn() { count_.fetch_sub(1); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    std::atomic<std::size_t>& count_;
};

std::string take_from(site& at, const order& wanted, const contender& target, milliseconds asked) {
    const revocation orders{at.servers, wanted.lock.first};
    revoke_options how{.who = wanted.by, .why = wanted.why, .stop = at.stop.get_token()};
    if (const auto told = orders.ask(target, how); !told) throw refusal_of(told.error());
    at.reading.note_taken(wanted.lock, wanted.znode);
    if (went(at, wanted, asked)) return word_of(revocation_outcome::gave_way);
    // Another library's contender says no time-out; it has as long as one of ours with this client's.
    if (target.metadata.timeout.empty()) how.wait = at.servers.session().timeout * 2;
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

json ask(site& at, const json& said, const std::string& from) {
    check_members(said, {"path", "kind", "znode", "token", "who", "why"});
    const auto wanted = order_of(said);
    const turn mine{at.takes};
    return recorded(at, "ask", wanted, from, [&]() -> std::string {
        const revocation orders{at.servers, wanted.lock.first};
        const auto told =
            orders.ask(target_of(at, wanted),
                       {.who = wanted.by, .why = wanted.why, .stop = at.stop.get_token()});
        if (!told) throw refusal_of(told.error());
        return "asked";
    });
}

json take(site& at, const json& said, const std::string& from) {
    check_members(said, {"path", "kind", "znode", "token", "who", "why", "confirm", "wait_ms"});
    const auto wanted = order_of(said);
    if (text_member(said, "confirm", true) != wanted.lock.first)
        throw refusal{400, "bad_request", "confirm: is not the path of the lock"};
    const auto asked = wait_asked(said);
    const turn mine{at.takes};
    return recorded(at, "take", wanted, from,
                    [&] { return take_from(at, wanted, target_of(at, wanted), asked); });
}

json audit_page(site& at, const query& asked) {
    const auto offset = asked.number("offset", 0, {.least = 0, .most = 1'000});
    const auto limit = page_size(asked);
    const auto page = at.audit.read(offset, limit);
    auto entries = json::array();
    for (const auto& each : page.entries) entries.push_back(json::parse(audit_line(each)));
    return {{"total", page.total}, {"offset", offset}, {"limit", limit}, {"entries", entries}};
}

}  // namespace turnstile::admin
