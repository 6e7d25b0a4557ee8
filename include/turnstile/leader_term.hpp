// SPDX-License-Identifier: Apache-2.0
// leader_term: one term of a leader, from the call of the leader's function to its return.
//
// The function of a `leader` gets a leader_term, and the term ends when the function returns. leader.hpp has an
// example.
//
// Thread safety: any thread may call any member, while the function runs.
#pragma once

#include <stop_token>
#include <utility>

#include "turnstile/clock.hpp"
#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class guard;
class transaction;  // transaction.hpp
struct commit_options;
struct commit_result;

namespace detail {
class election_seat;
}  // namespace detail

// A term of a `leader`: the time from the library's call of the leader's function to the function's return. The
// function gets this object as its argument.
class TURNSTILE_EXPORT leader_term {
public:
    leader_term(const leader_term&) = delete;
    leader_term& operator=(const leader_term&) = delete;
    ~leader_term() = default;

    // Returns a stop token that is triggered when the function must return, because the lead is lost or must be given
    // up.
    [[nodiscard]] std::stop_token lost() const noexcept;
    // Returns whether this participant still leads at the time of the call.
    [[nodiscard]] bool valid() const noexcept;
    // Returns the instant until which the lead is certain. A later call may return a later instant.
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // Returns the token of this lead. A later leader has a larger token.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // Returns success while this participant leads, or else the reason, like guard::status().
    [[nodiscard]] result<void> status() const;
    // Executes the writes only if this participant still leads, see guard::commit().
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);
    // Takes a timeout or a deadline in place of options: commit(writes, 2s). Returns a result<commit_result>.
    template <waiting_time W>
    auto commit(const transaction& writes, const W& limit) {
        return commit(writes, {.timeout = limit});
    }

private:
    friend class detail::election_seat;
    leader_term(guard& lead, std::stop_token lost) noexcept : lead_{lead}, lost_{std::move(lost)} {}

    guard& lead_;
    std::stop_token lost_;
};

}  // namespace turnstile
