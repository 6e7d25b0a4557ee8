// SPDX-License-Identifier: Apache-2.0
#include "turnstile/revocation.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/path.hpp"
#include "client/interruption.hpp"
#include "core/queue/znode_texts.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/lock/queue_lock.hpp"

namespace turnstile {

namespace {

using core::server_error;

using std::chrono::milliseconds;

constexpr int k_most_tries = 16;
constexpr int k_most_orders = 3;  // in one take(), since another client may overwrite an order
constexpr int k_looks = 40;       // least number of reads while a contender has time to leave
constexpr boottime_clock::duration k_longest_pause = std::chrono::seconds{1};  // between reads
constexpr std::chrono::seconds k_time_to_withdraw{5};

result<void> check(const contender& target, const revoke_options& options) {
    if (target.name.empty()) return error{errc::bad_option, "the contender has no name"};
    for (const auto* text : {&options.who, &options.why})
        if (text->size() > core::k_longest_words)
            return error{errc::bad_option,
                         fmt::format("\"who\" or \"why\" has {} bytes, more than the {} allowed",
                                     text->size(), core::k_longest_words)};
    if (options.wait && *options.wait < milliseconds{0})
        return error{errc::bad_option, fmt::format("wait {}: must not be negative",
                                                   base::duration_text(*options.wait))};
    return {};
}

query_options limits_of(const revoke_options& options) {
    return {.stop = options.stop};
}

// Returns the session timeout that the contender claims; nothing if servers cannot grant this timeout.
std::optional<milliseconds> timeout_of(const contender_metadata& claimed,
                                       const revoke_options& options) {
    milliseconds::rep value = 0;
    const auto& text = claimed.timeout;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (value <= 0 || (options.longest_session && value > options.longest_session->count()))
        return std::nullopt;
    return milliseconds{value};
}

// True if the caller has given up, by its stop token or by an interruption of its thread.
bool is_given_up(const error& why) {
    return why == errc::cancelled || why == errc::interrupted;
}

// The name in the message of finish_or_end(), which ends the process if memory is exhausted. A call that may have
// written a request or an order to release the lock must report an outcome, so it must not end by an exception.
constexpr auto k_revocation = "a revocation";

}  // namespace

class revocation::state {
public:
    state(const client& servers, std::string_view path)
        : queue_{servers, path, core::contender_family::lock} {}

    [[nodiscard]] std::string znode(const contender& target) const {
        return base::child_path(queue_.path(), target.name);
    }

    // Returns the present state of the contender's znode; nothing if that znode is gone.
    [[nodiscard]] result<std::optional<core::reply>> look(const contender& target,
                                                          const query_options& limits) const {
        auto answers = queue_.servers()->read({core::get_op{znode(target)}}, limits);
        if (!answers) return answers.error();
        auto& answer = answers->front();
        if (answer.error == server_error::no_node) return std::optional<core::reply>{};
        if (answer.error != server_error::ok) return refusal(answer.error, target);
        if (static_cast<std::uint64_t>(answer.stat.czxid) != target.token.zxid())
            return std::optional<core::reply>{};  // a later znode has the same name
        return std::optional{std::move(answer)};
    }

    // The result of write_order(). That function appends `order` (an order or a request to release the lock) to the
    // data of the contender's znode. For a contender of Curator, it replaces the data by Curator's own request. If the
    // answer to the write is lost, the next read finds the text.
    struct written_order {
        std::optional<core::reply> seen{};  // the znode with that text; nothing: the znode is gone
        bool wrote = false;
    };
    [[nodiscard]] result<written_order> write_order(const contender& target,
                                                    const core::revocation_text& order,
                                                    const query_options& limits) const {
        written_order outcome;
        bool as_curator = false;
        for (int i = 0; i != k_most_tries; ++i) {
            auto seen = look(target, limits);
            if (seen.has_error()) return seen.error();
            outcome.seen = std::move(*seen);
            if (!outcome.seen) return outcome;
            const auto& data = outcome.seen->data;
            const auto standing = core::parse_revocation(data);
            // A request to release must not replace an order to release.
            const bool ordered = standing && standing->manner == core::revocation_text::how::take &&
                                 order.manner == core::revocation_text::how::ask;
            if (ordered || standing == order) return outcome;
            const bool requested = data == core::k_curators_request;
            if (requested && (as_curator || order.manner == core::revocation_text::how::ask))
                return outcome;
            as_curator = core::follows_curators_request(data) && !is_candidate(target);
            auto text =
                as_curator ? std::string{core::k_curators_request} : core::with_order(data, order);
            const auto done =
                write(core::set_op{znode(target), std::move(text), outcome.seen->stat.version},
                      outcome.seen->connection, target, limits);
            if (!done) return done.error();
            outcome.wrote = outcome.wrote || *done == server_error::ok;
        }
        return error{errc::busy, znode(target) + " changes faster than the order can be written"};
    }

    // Sends the write `op`, which requires the version that the client read on the connection `read_on`. Returns ok,
    // no_node or bad_version; every other answer is an error.
    [[nodiscard]] result<server_error> write(core::operation&& op, std::uint64_t read_on,
                                             const contender& target,
                                             const query_options& limits) const {
        const auto answer = queue_.servers()->write_at_version(std::move(op), read_on, limits);
        if (!answer) return answer.error();
        const auto error = answer->error;
        if (error != server_error::ok && error != server_error::no_node &&
            error != server_error::bad_version)
            return refusal(error, target);
        return error;
    }

    // Deletes the znode if its data are still as in `ordered`; returns bad_version otherwise. Reads the znode again,
    // because the version alone does not identify the data. Servers may lose the write of the order to release, and
    // continue from older data. They may then give the version of that write to another write.
    [[nodiscard]] result<server_error> remove(const core::reply& ordered, const contender& target,
                                              const query_options& limits) const {
        for (int i = 0; i != k_most_tries; ++i) {
            const auto seen = look(target, limits);
            if (seen.has_error()) return seen.error();
            if (!*seen) return server_error::no_node;
            const auto& now = **seen;
            if (now.data != ordered.data || now.stat.mzxid != ordered.stat.mzxid)
                return server_error::bad_version;
            const auto deleted = write(core::remove_op{znode(target), now.stat.version},
                                       now.connection, target, limits);
            if (!deleted || *deleted != server_error::bad_version) return deleted;
        }
        return server_error::bad_version;
    }

    // Waits until the znode is gone, or until the time has passed. Returns true if it is gone.
    [[nodiscard]] result<bool> goes_within(boottime_clock::duration time, const contender& target,
                                           const query_options& limits) const {
        const auto end = boottime_clock::now() + time;
        const auto pause = std::min(time / k_looks, k_longest_pause);
        for (;;) {
            const auto seen = look(target, limits);
            if (seen.has_error()) return seen.error();
            if (!*seen) return true;
            if (boottime_clock::now() >= end) return false;
            const auto next = std::min(boottime_clock::now() + pause, end);
            if (const auto waited = detail::pause_until(next, limits.stop, znode(target)); !waited)
                return waited.error();
        }
    }

    // Removes, at the end of the data, each request or order to release that is equal to `words`. If Curator's request
    // has replaced the data, writes the earlier data again. Returns false if the znode is gone.
    [[nodiscard]] result<bool> withdraw(const contender& target, const core::revocation_text& words,
                                        const query_options& limits) const {
        const auto& before = target.metadata.text;
        for (int i = 0; i != k_most_tries; ++i) {
            const auto seen = look(target, limits);
            if (seen.has_error()) return seen.error();
            if (!*seen) return false;
            const auto& now = **seen;
            const bool replaced = now.data == core::k_curators_request && before != now.data &&
                                  core::follows_curators_request(before);
            const auto data = replaced ? before : core::without_orders(now.data, words);
            if (data == now.data) return true;
            const auto done =
                write(core::set_op{znode(target), std::string{data}, now.stat.version},
                      now.connection, target, limits);
            if (!done) return done.error();
        }
        return error{errc::busy, znode(target) + " changes faster than the order can be withdrawn"};
    }

    // Returns the longest time for which a hold may still be valid after the order to release was written.
    [[nodiscard]] result<milliseconds> time_for(const contender_metadata& claimed,
                                                const contender& target,
                                                const revoke_options& options) const {
        if (options.wait) return *options.wait;
        const auto theirs = timeout_of(claimed, options);
        if (!theirs)
            return error{errc::bad_option,
                         znode(target) +
                             " states no credible session timeout (a contender of another library "
                             "states none): set revoke_options::wait (--wait)"};
        const auto ours = queue_.servers()->sessions().first()->info().timeout;
        return 2 * std::max(*theirs, ours);
    }

    // Writes the order to release, and deletes the znode when `time` has passed after the write. If another client has
    // overwritten this order, starts again, because the holder may have confirmed its hold meanwhile.
    [[nodiscard]] result<revocation_outcome> take(const contender& target,
                                                  const core::revocation_text& order,
                                                  milliseconds time,
                                                  const query_options& limits) const {
        for (int i = 0; i != k_most_orders; ++i) {
            const auto written = write_order(target, order, limits);
            if (!written) return written.error();
            if (!written->seen)
                return i == 0 && !written->wrote ? revocation_outcome::gone_before
                                                 : revocation_outcome::gave_way;
            log::write(
                log_level::warning,
                "{} ordered {} to release the lock: {}; after {} the client deletes this znode",
                order.by, znode(target), order.why, base::duration_text(time));
            const auto gone = goes_within(to_nanoseconds(time), target, limits);
            if (gone.has_error()) return gone.error();
            if (*gone) return revocation_outcome::gave_way;
            const auto deleted = remove(*written->seen, target, limits);
            if (!deleted) return deleted.error();
            if (*deleted == server_error::ok) return revocation_outcome::deleted;
            if (*deleted == server_error::no_node) return revocation_outcome::gave_way;
        }
        return error{
            errc::busy,
            znode(target) + ": another client overwrites the order again and again; try again"};
    }

    // If the caller has given up, removes the text `words` from the znode. Returns `why`. If the removal fails, the
    // returned error also contains the reason of that failure.
    [[nodiscard]] error given_up(error why, const contender& target,
                                 const core::revocation_text& words) const {
        if (!is_given_up(why)) return why;
        const auto undone =
            withdraw(target, words, detail::with_deadline({.timeout = k_time_to_withdraw}));
        if (!undone.has_error()) return why;
        return {why.code(), why.message() + "; the text that this call wrote stays in the znode: " +
                                undone.error().message()};
    }

private:
    // True for a contender of Curator's LeaderLatch. LeaderLatch ignores a request to release in Curator's form: the
    // request would only replace the participant's id in the data.
    [[nodiscard]] static bool is_candidate(const contender& target) {
        return target.kind == contender_kind::latch;
    }
    [[nodiscard]] error refusal(server_error why, const contender& target) const {
        if (why == server_error::no_auth)
            return {errc::no_permission, "to read or change " + znode(target)};
        return {errc::protocol, "a refusal to read or change " + znode(target)};
    }

    detail::queue_lock queue_;
};

revocation::revocation(const client& servers, std::string_view path)
    : state_{new state{servers, path}} {}

revocation::~revocation() = default;

result<void> revocation::ask(const contender& target, const revoke_options& options) const {
    if (auto good = check(target, options); !good) return good;
    const core::revocation_text request{core::revocation_text::how::ask, options.who, options.why};
    return base::finish_or_end(k_revocation, [&]() -> result<void> {
        const auto done = state_->write_order(target, request, limits_of(options));
        if (!done) return state_->given_up(done.error(), target, request);
        if (!done->seen && !done->wrote) return error{errc::removed, state_->znode(target)};
        log::write(log_level::info, "{} asked {} to release the lock: {}", options.who,
                   state_->znode(target), options.why);
        return {};
    });
}

// Computes the wait from the contender's metadata before it writes anything, so that a later change of the metadata
// does not change the wait.
result<revocation_outcome> revocation::take(const contender& target,
                                            const revoke_options& options) const {
    if (const auto good = check(target, options); !good) return good.error();
    const auto seen = state_->look(target, limits_of(options));
    if (seen.has_error()) return seen.error();
    if (!*seen) return revocation_outcome::gone_before;
    const auto time = state_->time_for(contender_metadata::parse((*seen)->data), target, options);
    if (!time) return time.error();
    const core::revocation_text order{core::revocation_text::how::take, options.who, options.why};
    return base::finish_or_end(k_revocation, [&]() -> result<revocation_outcome> {
        auto taken = state_->take(target, order, *time, limits_of(options));
        if (!taken) return state_->given_up(taken.error(), target, order);
        return taken;
    });
}

result<milliseconds> revocation::longest_wait(const contender& target,
                                              const revoke_options& options) const {
    if (const auto good = check(target, options); !good) return good.error();
    return state_->time_for(target.metadata, target, options);
}

result<void> revocation::withdraw(const contender& target, const revoke_options& options) const {
    if (auto good = check(target, options); !good) return good;
    const core::revocation_text request{core::revocation_text::how::ask, options.who, options.why};
    return base::finish_or_end(k_revocation, [&]() -> result<void> {
        const auto undone = state_->withdraw(
            target, request, detail::with_deadline({.timeout = k_time_to_withdraw}));
        if (undone.has_error()) return undone.error();
        if (!*undone) return error{errc::removed, state_->znode(target)};
        return {};
    });
}

result<revocation_outcome> revocation::take_now(const contender& target,
                                                const revoke_options& options) const {
    if (const auto good = check(target, options); !good) return good.error();
    const auto limits = limits_of(options);
    return base::finish_or_end(k_revocation, [&]() -> result<revocation_outcome> {
        for (int i = 0; i != k_most_tries; ++i) {
            const auto seen = state_->look(target, limits);
            if (seen.has_error()) return seen.error();
            if (!*seen)
                return i == 0 ? revocation_outcome::gone_before : revocation_outcome::deleted;
            const auto deleted =
                state_->write(core::remove_op{state_->znode(target), (*seen)->stat.version},
                              (*seen)->connection, target, limits);
            if (!deleted) return deleted.error();
            if (*deleted == server_error::bad_version) continue;
            log::write(log_level::warning, "{} deleted {} at once: {}", options.who,
                       state_->znode(target), options.why);
            return revocation_outcome::deleted;
        }
        return error{errc::busy, state_->znode(target) + " changes faster than it can be deleted"};
    });
}

bool is_ordered_away(const contender& seen) {
    const auto order = core::parse_revocation(seen.metadata.text);
    return order && order->manner == core::revocation_text::how::take;
}

}  // namespace turnstile
