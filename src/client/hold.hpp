// SPDX-License-Identifier: Apache-2.0
// hold: the interface of the object that a guard owns. znode_hold: the interface for the commits and reads of a hold
// that depends on one znode.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/process.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/fencing_vector.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

// A connection of a session. Later reads on the same connection see at least the changes that the client has seen
// there. Empty: there is no session, or the hold was handed over inside the process.
struct vantage {
    const void* session = nullptr;
    std::uint64_t connection = 0;
    friend bool operator==(const vantage&, const vantage&) = default;
};
struct seen_node {
    core::reply answer;
    vantage from;
};

struct commit_audience {
    std::function<void(result<commit_result>)>
        handler{};  // the caller's; runs with the hold's callbacks
    // A function of the library that is called at the end of the commit, without waiting for the user's executor. May
    // be empty.
    std::function<void(const std::optional<error>& why)> settled{};

    // Reports that the commit was not sent. Runs user code.
    void refuse(const error& why) const;
};

// The commits and reads of a hold that depends on one znode. Every function requires a granted hold.
class znode_hold {
public:
    // The znode that exists as long as the hold is valid.
    struct standing_znode {
        std::string servers;  // the coordinator's description
        std::string path;
    };

    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual standing_znode standing() const = 0;
    // hold::status()
    [[nodiscard]] virtual result<void> status() const = 0;
    // Called before and after a commit by another hold, if that commit checks this hold's znode. Between the two calls
    // this hold is not released. begin_commit() fails if the hold has ended. `why`: the reason why nothing was written,
    // if that is known.
    [[nodiscard]] virtual result<void> begin_commit() = 0;
    virtual void end_commit(const std::optional<error>& why) noexcept = 0;
    // commit() and async_commit() write a checked transaction if the hold's znode and the znodes `further` of other
    // holds exist.
    virtual result<commit_result> commit(const transaction& writes,
                                         const std::vector<std::string>& further,
                                         const commit_options& options) = 0;
    virtual void async_commit(const transaction& writes, const std::vector<std::string>& further,
                              const commit_options& options, commit_audience&& listeners) = 0;
    // The connection on which the hold was granted; empty for a hold that was handed over inside the process.
    [[nodiscard]] virtual vantage granted_at() const { return {}; }
    [[nodiscard]] virtual result<seen_node> read(const std::string& path,
                                                 boottime_clock::time_point deadline,
                                                 const std::stop_token& stop) = 0;

protected:
    ~znode_hold() = default;
};

class hold {
public:
    using znode_holds = boost::container::small_vector<std::shared_ptr<znode_hold>, 1>;

    hold() = default;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    virtual ~hold() = default;

    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual std::string znode() const = 0;
    [[nodiscard]] virtual turnstile::fencing_token token() const noexcept = 0;
    // Returns the token of each lock of which the hold consists, with the name of that lock.
    [[nodiscard]] virtual fencing_vector tokens() const = 0;
    [[nodiscard]] bool valid() const noexcept { return boottime_clock::now() < certain_until(); }
    [[nodiscard]] virtual boottime_clock::time_point valid_until() const noexcept = 0;
    // Returns valid_until(), or time_point::min() after the hold was lost or given up. Before the returned instant the
    // hold is valid, and no other check is necessary.
    [[nodiscard]] virtual boottime_clock::time_point certain_until() const noexcept = 0;
    [[nodiscard]] virtual lease_evidence evidence() const noexcept = 0;
    // Returns success while the hold is valid, and afterwards the reason of its end.
    [[nodiscard]] virtual result<void> status() const = 0;
    [[nodiscard]] virtual std::stop_token lost_token() const noexcept = 0;
    virtual void on_lost(std::function<void(const error&)> callback) = 0;
    // Returns the parts of this hold, each with one znode. The first part sends the commits under this hold. Error: the
    // hold has ended, or does not support commits.
    [[nodiscard]] virtual result<znode_holds> parts_for_commit() = 0;
    // Runs `task` on the thread for the hold's callbacks. Called under no lock.
    virtual void run_as_callback(std::function<void()> task) = 0;
    // Returns `not_owner` if the calling thread must not release the hold. release() may be called only after this
    // check.
    [[nodiscard]] virtual result<void> may_release() const { return {}; }
    // Starts the release. A second call does nothing.
    virtual void unlock() noexcept = 0;
    // Returns the default time limit of a release: the longest timeout of the hold's sessions.
    [[nodiscard]] virtual boottime_clock::duration release_limit() const = 0;
    // Starts the release and waits until the servers have confirmed it.
    virtual result<void> release(boottime_clock::time_point deadline);

    // True in a forked child of the process that acquired the hold: guards do nothing there.
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }
    [[nodiscard]] error forked_error() const;

protected:
    // Returns the error for a hold that is no longer certain although no loss was reported. `limit`: the instant at
    // which max_hold ends the hold. Either this instant or the end of the lease has passed.
    [[nodiscard]] error end_of_certainty(boottime_clock::time_point limit) const;
    [[nodiscard]] virtual result<void> await_release(boottime_clock::time_point /*deadline*/) {
        return {};
    }

private:
    friend class internals;
    std::shared_ptr<hold> kept_by_guard_;  // the hold itself; used by the guard's thread
    const base::process_mark process_;
};

// Returns the error of a call with an empty guard. `subject`: the path or the call, if it is known.
[[nodiscard]] error empty_guard(std::string_view subject = {});
// Returns the guard's hold. Errors: `not_held` for an empty guard (`subject`: as in empty_guard()); `forked` in a
// forked child.
[[nodiscard]] result<std::shared_ptr<hold>> usable_hold(const guard& of, std::string_view subject);
// Refuses a transaction that cannot be committed under the hold `by`. Sends no request.
[[nodiscard]] result<void> check_commit(const transaction& writes, const hold& by);
[[nodiscard]] result<void> check_untouched(const transaction& writes, const std::string& znode);
// Commits a checked transaction. If `held` consists of several holds, the first of them sends the transaction. Until
// the servers answer, the others, and the further holds that the transaction names, are not released
// (commit_holds.cpp).
result<commit_result> commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                                const commit_options& options);
void async_commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                     const commit_options& options,
                     std::function<void(result<commit_result>)> handler);
// Commits a transaction that changes nothing except the version and the time of the hold's znode. Afterwards, reads in
// the session that sent the commit show all earlier writes. Errors: the errors of a read under the hold.
[[nodiscard]] result<void> catch_up(const std::shared_ptr<hold>& held,
                                    const query_options& options);
// Reads in the session that sends the commits of `held`, because that session has seen the end of every earlier hold
// (docs/why/guarded-writes.md).
[[nodiscard]] result<core::reply> read_by(const std::shared_ptr<hold>& held,
                                          const std::string& path, const query_options& options);

}  // namespace turnstile::detail
