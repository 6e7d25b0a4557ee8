// SPDX-License-Identifier: Apache-2.0
// hold: what a guard owns and asks. One znode of one session is a session_hold; recipes that are made
// of several holds have holds of their own.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "turnstile/fencing_vector.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

class hold {
public:
    hold() noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    virtual ~hold() = default;

    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual std::string znode() const = 0;
    [[nodiscard]] virtual turnstile::fencing_token token() const noexcept = 0;
    // Of each lock that it consists of, with the lock's name.
    [[nodiscard]] virtual fencing_vector tokens() const = 0;
    [[nodiscard]] virtual bool valid() const noexcept = 0;
    [[nodiscard]] virtual boottime_clock::time_point valid_until() const noexcept = 0;
    // The same, but `min` once it is lost or given up: it is valid before this, with no look at the clock.
    [[nodiscard]] virtual boottime_clock::time_point certain_until() const noexcept {
        return valid() ? valid_until() : boottime_clock::time_point::min();
    }
    [[nodiscard]] virtual lease_evidence evidence() const noexcept = 0;
    // Success while it is valid, else why it is not.
    [[nodiscard]] virtual result<void> status() const = 0;
    [[nodiscard]] virtual std::stop_token lost_token() const noexcept = 0;
    virtual void on_lost(std::function<void(const error&)> callback) = 0;
    // What was validated is written under the hold. One that is made of several znodes cannot.
    virtual result<commit_result> commit(const transaction& /*writes*/,
                                         const commit_options& /*options*/) {
        return no_commits();
    }
    virtual void async_commit(const transaction& /*writes*/, const commit_options& /*options*/,
                              std::function<void(result<commit_result>)> /*handler*/) {
        throw_error(no_commits());
    }
    // not_owner if the calling thread must not release it; asked before release().
    [[nodiscard]] virtual result<void> may_release() const { return {}; }
    // Starts the release; again: does nothing.
    virtual void unlock() noexcept = 0;
    // Starts the release and waits until nothing is left at the servers.
    virtual result<void> release(std::optional<boottime_clock::time_point> deadline) = 0;

protected:
    // True in a child of the process that acquired it: guards do nothing there.
    [[nodiscard]] bool forked() const noexcept;
    [[nodiscard]] error forked_error() const;
    // Of a hold that is valid no more, where nothing has told why: its own limit has passed, or its lease.
    [[nodiscard]] error end_of_certainty(boottime_clock::time_point limit) const;

private:
    [[nodiscard]] error no_commits() const {
        return {errc::bad_option,
                path() + ": a hold that is made of several cannot carry a commit; use one of them"};
    }

    friend class internals;
    std::shared_ptr<hold> kept_by_guard_;  // itself; used by the guard's thread alone
    const std::uint64_t generation_;       // of the process
};

// Why this cannot be committed under `by`, whatever the servers say.
[[nodiscard]] result<void> check_commit(const transaction& writes, const hold& by);

}  // namespace turnstile::detail
