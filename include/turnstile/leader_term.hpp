// SPDX-License-Identifier: Apache-2.0
// leader_term: one lead, from the call of a leader's function to its return, with which it ends.
//
// Thread safety: all members from any thread, while the function runs.
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

class TURNSTILE_EXPORT leader_term {
public:
    leader_term(const leader_term&) = delete;
    leader_term& operator=(const leader_term&) = delete;
    ~leader_term() = default;

    // Triggered when the function has to return: the lead is lost, or to be given up.
    [[nodiscard]] std::stop_token lost() const noexcept;
    [[nodiscard]] bool valid() const noexcept;  // leads still, checked against the clock
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    [[nodiscard]] result<void> status() const;  // why it does not lead any more
    // Writes only if this participant still leads, see guard::commit().
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);

private:
    friend class detail::election_seat;
    leader_term(guard& lead, std::stop_token lost) noexcept : lead_{lead}, lost_{std::move(lost)} {}

    guard& lead_;
    std::stop_token lost_;
};

}  // namespace turnstile
