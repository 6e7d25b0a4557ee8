// SPDX-License-Identifier: Apache-2.0
// hold: the interface that a guard owns. znode_hold: the interface of a hold that depends on one znode, for commits.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "core/seam/seam.hpp"
#include "turnstile/fencing_vector.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

// A connection of a session. What a client has seen on a connection stays visible there. Empty: no session, or a hold
// that was handed over inside the process.
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
        handler{};  // the caller's; runs where the hold's callbacks run
    // Internal completion. Does not wait for the user's executor. May be empty.
    std::function<void(const std::optional<error>& why)> settled{};
};

// The commits and reads of a hold that depends on one znode. All functions require a hold that was granted.
class znode_hold {
public:
    // A znode that exists as long as the hold is valid.
    struct standing_znode {
        std::string servers;  // the coordinator's description
        std::string path;
    };

    // The lock's path.
    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    // The znode that a commit of another hold checks on behalf of this hold.
    [[nodiscard]] virtual standing_znode standing() const = 0;
    // A caller encloses such a commit in these two calls. Between them nothing releases the hold. begin_commit() fails if
    // the hold has ended.
    // `why` is the reason for which nothing was written.
    [[nodiscard]] virtual result<void> begin_commit() = 0;
    virtual void end_commit(const std::optional<error>& why) noexcept = 0;
    // Writes a validated transaction under the hold, if the znodes of the further holds exist.
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

    hold() noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    virtual ~hold() = default;

    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual std::string znode() const = 0;
    [[nodiscard]] virtual turnstile::fencing_token token() const noexcept = 0;
    // The token of each lock of which the hold consists, with the lock's name.
    [[nodiscard]] virtual fencing_vector tokens() const = 0;
    [[nodiscard]] bool valid() const noexcept { return boottime_clock::now() < certain_until(); }
    [[nodiscard]] virtual boottime_clock::time_point valid_until() const noexcept = 0;
    // Like valid_until(), but `min` once the hold is lost or given up. The hold is valid before this instant; no other
    // check is necessary.
    [[nodiscard]] virtual boottime_clock::time_point certain_until() const noexcept = 0;
    [[nodiscard]] virtual lease_evidence evidence() const noexcept = 0;
    // Success while the hold is valid, else the reason of its end.
    [[nodiscard]] virtual result<void> status() const = 0;
    [[nodiscard]] virtual std::stop_token lost_token() const noexcept = 0;
    virtual void on_lost(std::function<void(const error&)> callback) = 0;
    // Returns the parts of this hold, each with one znode; a commit goes through the first part. Error: the hold has
    // ended, or accepts no commit.
    [[nodiscard]] virtual result<znode_holds> parts_for_commit() = 0;
    // Runs `task` where the hold's callbacks run. Called under no lock.
    virtual void run_as_callback(std::function<void()> task) = 0;
    // Returns not_owner if the calling thread must not release the hold. Called before release().
    [[nodiscard]] virtual result<void> may_release() const { return {}; }
    // Starts the release. A second call does nothing.
    virtual void unlock() noexcept = 0;
    // The default time limit of a release: the longest session timeout behind the hold.
    [[nodiscard]] virtual boottime_clock::duration release_limit() const = 0;
    // Starts the release and waits until the servers have confirmed it.
    virtual result<void> release(boottime_clock::time_point deadline);

protected:
    // True in a forked child of the process that acquired the hold: guards do nothing there.
    [[nodiscard]] bool forked() const noexcept;
    [[nodiscard]] error forked_error() const;
    // The error of a hold that is no longer valid without a reported loss: its own limit has passed, or its lease.
    [[nodiscard]] error end_of_certainty(boottime_clock::time_point limit) const;
    // Waits for the end of a release that has been started.
    [[nodiscard]] virtual result<void> await_release(boottime_clock::time_point /*deadline*/) {
        return {};
    }

private:
    friend class internals;
    std::shared_ptr<hold> kept_by_guard_;  // the hold itself; only the guard's thread uses it
    const std::uint64_t generation_;       // the process's
};

// Refuses transactions that no server would need to see: they cannot be committed under `by`.
[[nodiscard]] result<void> check_commit(const transaction& writes, const hold& by);
// Returns bad_option if a part of the transaction touches `znode`, which represents a hold.
[[nodiscard]] result<void> check_untouched(const transaction& writes, const std::string& znode);
// Commits by the first part of `held`. Meanwhile the other parts and the transaction's further holds are not released
// (commit_holds.cpp). The transaction has been checked.
result<commit_result> commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                                const commit_options& options);
void async_commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                     const commit_options& options,
                     std::function<void(result<commit_result>)> handler);
// Reads in the first part's session, which has seen the end of each earlier hold (docs/why/guarded-writes.md).
[[nodiscard]] result<core::reply> read_by(const std::shared_ptr<hold>& held,
                                          const std::string& path, const query_options& options);

}  // namespace turnstile::detail
