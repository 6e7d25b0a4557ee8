// SPDX-License-Identifier: Apache-2.0
// Commits that depend on several holds. One of the holds, the carrier, writes; the same transaction checks the znodes
// of the other holds. None of the holds is released before the commit is answered.
#include <algorithm>
#include <utility>

#include "base/interruption.hpp"
#include "base/out_of_memory.hpp"
#include "base/resource_name.hpp"
#include "client/hold.hpp"
#include "client/internals.hpp"
#include "client/user_code.hpp"
#include "turnstile/stop_any.hpp"

namespace turnstile::detail {

void commit_audience::refuse(const error& why) const {
    if (settled) settled(why);
    call_user(handler, why);
}

namespace {

using holds = hold::znode_holds;

// Prevents the release of holds during a commit. end() reports the commit's outcome to the holds. If end() is never
// called, the destructor reports that the outcome is unknown.
class kept_holds {
public:
    kept_holds() = default;
    kept_holds(const kept_holds&) = delete;
    kept_holds& operator=(const kept_holds&) = delete;
    ~kept_holds() { end(error{errc::outcome_unknown}); }

    [[nodiscard]] result<void> begin(const holds& all) {
        kept_.reserve(all.size());
        for (const auto& each : all) {
            if (auto begun = each->begin_commit(); !begun) {
                end(begun.error());
                return begun;
            }
            kept_.push_back(each);
        }
        return {};
    }
    void end(const std::optional<error>& why) noexcept {
        for (const auto& each : kept_) each->end_commit(why);
        kept_.clear();
    }

private:
    holds kept_;
};

// Adds to `all` the holds of which `held` consists, except holds that `all` contains already.
result<void> add_parts_of(const std::shared_ptr<hold>& held, holds& all) {
    auto parts = held->parts_for_commit();
    if (!parts) return parts.error();
    for (auto& part : *parts)
        if (std::find(all.begin(), all.end(), part) == all.end()) all.push_back(std::move(part));
    return {};
}

// Returns the paths of the znodes of `others`. `carrier`: the hold that sends the transaction. Error: bad_option if
// another hold is at other servers than the carrier, or if a part of the transaction writes a hold's znode.
result<std::vector<std::string>> standing_with(const znode_hold& carrier, const holds& others,
                                               const transaction& writes) {
    std::vector<std::string> all;
    if (others.empty()) return all;
    const auto servers = carrier.standing().servers;
    const auto root = base::make_resource_name(servers, "/");
    for (const auto& further : others) {
        const auto [their_servers, znode] = further->standing();
        if (base::make_resource_name(their_servers, "/") != root) {
            return error{errc::bad_option,
                         further->path() + " is held at " + their_servers +
                             ", and the commit goes to " + servers +
                             ": all holds of a commit must be of the same servers and chroot"};
        }
        if (const auto untouched = check_untouched(writes, znode); !untouched)
            return untouched.error();
        all.push_back(znode);
    }
    return all;
}

// The holds of a commit: the carrier, which sends it, and the other holds. None of the other holds is released before
// the commit ends.
struct commit_holds {
    std::shared_ptr<znode_hold> carrier;
    holds others;
    std::vector<std::string> further;  // znodes of the other holds
    std::shared_ptr<kept_holds> kept;  // null: no other holds
};

// Returns the reason of a failed commit. If a hold ended after the commit began, the reason is the end of that hold.
// For example, the client itself removes the znode of a hold that ends at its time limit, or that an operator takes.
error reason_of(const error& failure, const znode_hold& carrier, const holds& others) {
    if (failure != errc::removed && failure != errc::not_held) return failure;
    const auto end_of = [&](const znode_hold& each) -> std::optional<error> {
        const auto still = each.status();
        if (still || still.error() == errc::not_held || still.error() == failure.code()) return {};
        return still.error();
    };
    if (const auto end = end_of(carrier)) return *end;
    for (const auto& each : others)
        if (const auto end = end_of(*each)) return *end;
    return failure;
}

result<commit_holds> gather(const std::shared_ptr<hold>& held, const transaction& writes) {
    holds all;
    if (const auto added = add_parts_of(held, all); !added) return added.error();
    for (const auto& further : internals::further_holds(writes))
        if (const auto added = add_parts_of(further, all); !added) return added.error();
    commit_holds gathered{all.front(), {}, {}, {}};
    all.erase(all.begin());
    if (all.empty()) return gathered;
    gathered.kept = std::make_shared<kept_holds>();
    if (const auto begun = gathered.kept->begin(all); !begun) return begun.error();
    const auto still = held->status();
    auto znodes = still ? standing_with(*gathered.carrier, all, writes)
                        : result<std::vector<std::string>>{still.error()};
    if (!znodes) {
        gathered.kept->end(znodes.error());
        return znodes.error();
    }
    gathered.further = std::move(*znodes);
    gathered.others = std::move(all);
    return gathered;
}

}  // namespace

result<commit_result> commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                                const commit_options& options) {
    const auto all = gather(held, writes);
    if (!all) return all.error();
    auto outcome = all->carrier->commit(writes, all->further, options);
    base::finish_or_end("a commit", [&] {
        if (!outcome) outcome = reason_of(outcome.error(), *all->carrier, all->others);
        if (all->kept) all->kept->end(outcome ? std::nullopt : std::optional{outcome.error()});
    });
    return outcome;
}

void async_commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                     const commit_options& options,
                     std::function<void(result<commit_result>)> handler) {
    const auto all = gather(held, writes);
    if (!all) {
        return held->run_as_callback(
            [handler = std::move(handler), why = all.error()] { handler(why); });
    }
    commit_audience listeners{[handler = std::move(handler), carrier = all->carrier,
                               others = all->others](result<commit_result> outcome) {
        base::finish_or_end("the answer of a commit", [&] {
            if (!outcome) outcome = reason_of(outcome.error(), *carrier, others);
        });
        handler(std::move(outcome));
    }};
    if (all->kept)
        listeners.settled = [kept = all->kept](const std::optional<error>& why) { kept->end(why); };
    all->carrier->async_commit(writes, all->further, options, std::move(listeners));
}

// ---- reads under a hold ----------------------------------------------------------------------

namespace {

boottime_clock::time_point deadline_of(const hold& held, const query_options& options) {
    return options.timeout.deadline().value_or(boottime_clock::now() + held.release_limit());
}

}  // namespace

// Repeats the commit, which changes no data, while its result is outcome_unknown. A commit also gets this result when
// the session ends, perhaps before the hold learns of its loss. After a loss this function returns the reason of the
// loss. Interruptions are disabled here, because an interruption would also end the commit with outcome_unknown. A
// pending interruption ends the read that follows.
result<void> catch_up(const std::shared_ptr<hold>& held, const query_options& options) {
    const base::disable_interruption uninterrupted;
    const auto deadline = deadline_of(*held, options);
    for (;;) {
        const auto done =
            commit_by(held, transaction{}.check("/"), {wait_limit::until(deadline), options.stop});
        if (done) return {};
        if (done.error() != errc::outcome_unknown) return done.error();
        if (const auto still = held->status(); !still) return still;
        const bool stopped = options.stop.stop_requested();
        if (stopped || boottime_clock::now() >= deadline)
            return error{stopped ? errc::cancelled : errc::timeout,
                         held->path() + ": the servers have not answered yet"};
    }
}

result<core::reply> read_by(const std::shared_ptr<hold>& held, const std::string& path,
                            const query_options& options) {
    if (const auto still = held->status(); !still) return still.error();
    holds all;
    if (const auto added = add_parts_of(held, all); !added) return added.error();
    const stop_any over{options.stop, held->lost_token()};
    const auto deadline = deadline_of(*held, options);
    auto seen = all.front()->read(path, deadline, over.token());
    const auto is_fresh = [&seen](const auto& part) { return part->granted_at() == seen->from; };
    if (seen && !std::all_of(all.begin(), all.end(), is_fresh)) {
        const auto caught_up = catch_up(held, {wait_limit::until(deadline), over.token()});
        seen = caught_up ? all.front()->read(path, deadline, over.token())
                         : result<seen_node>{caught_up.error()};
    }
    if (const auto still = held->status(); !still) return still.error();
    if (!seen) return seen.error();
    return std::move(seen->answer);
}

}  // namespace turnstile::detail
