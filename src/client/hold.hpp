// SPDX-License-Identifier: Apache-2.0
// hold: what a guard owns and asks. znode_hold: what a commit asks of each znode that the hold stands on.
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

// A session's connection: what one of them has shown stays seen there. Nothing: of no session, or of a hold that was
// handed over inside the process.
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
        handler{};  // the caller's, as the hold's callbacks run
    // What the library has to do then, which waits for no executor. None: nothing.
    std::function<void(const std::optional<error>& why)> settled{};
};

// The commits and reads of a hold that stands on one znode. Each is called for a hold that was granted.
class znode_hold {
public:
    // A znode that stands as long as the hold does.
    struct standing_znode {
        std::string servers;  // as their coordinator describes them
        std::string path;
    };

    // The lock's path.
    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    // What the commit of another hold checks for this one.
    [[nodiscard]] virtual standing_znode standing() const = 0;
    // Around such a commit: in between the hold is not given back. An error: it is over. `why` it was not written.
    [[nodiscard]] virtual result<void> begin_commit() = 0;
    virtual void end_commit(const std::optional<error>& why) noexcept = 0;
    // Writes under the hold what was validated, if the znodes of further holds stand.
    virtual result<commit_result> commit(const transaction& writes,
                                         const std::vector<std::string>& further,
                                         const commit_options& options) = 0;
    virtual void async_commit(const transaction& writes, const std::vector<std::string>& further,
                              const commit_options& options, commit_audience&& listeners) = 0;
    // Where the hold was granted; nothing for a hold that was handed over inside the process.
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
    // Of each lock that it consists of, with the lock's name.
    [[nodiscard]] virtual fencing_vector tokens() const = 0;
    [[nodiscard]] bool valid() const noexcept { return boottime_clock::now() < certain_until(); }
    [[nodiscard]] virtual boottime_clock::time_point valid_until() const noexcept = 0;
    // The same, but `min` once it is lost or given up: it is valid before this, with no look at the clock.
    [[nodiscard]] virtual boottime_clock::time_point certain_until() const noexcept = 0;
    [[nodiscard]] virtual lease_evidence evidence() const noexcept = 0;
    // Success while it is valid, else why it is not.
    [[nodiscard]] virtual result<void> status() const = 0;
    [[nodiscard]] virtual std::stop_token lost_token() const noexcept = 0;
    virtual void on_lost(std::function<void(const error&)> callback) = 0;
    // What it consists of, with the hold that carries a commit first. An error: it is over, or cannot carry a commit.
    [[nodiscard]] virtual result<znode_holds> parts_for_commit() = 0;
    // As the hold's callbacks run. Under no lock.
    virtual void run_as_callback(std::function<void()> task) = 0;
    // not_owner if the calling thread must not release it; asked before release().
    [[nodiscard]] virtual result<void> may_release() const { return {}; }
    // Starts the release; again: does nothing.
    virtual void unlock() noexcept = 0;
    // How long a release waits unless it is told: the longest session time-out behind the hold.
    [[nodiscard]] virtual boottime_clock::duration release_limit() const = 0;
    // Starts the release and waits until nothing is left at the servers.
    virtual result<void> release(boottime_clock::time_point deadline);

protected:
    // True in a child of the process that acquired it: guards do nothing there.
    [[nodiscard]] bool forked() const noexcept;
    [[nodiscard]] error forked_error() const;
    // Of a hold that is valid no more, where nothing has told why: its own limit has passed, or its lease.
    [[nodiscard]] error end_of_certainty(boottime_clock::time_point limit) const;
    // The rest of a release that has been started.
    [[nodiscard]] virtual result<void> await_release(boottime_clock::time_point /*deadline*/) {
        return {};
    }

private:
    friend class internals;
    std::shared_ptr<hold> kept_by_guard_;  // itself; used by the guard's thread alone
    const std::uint64_t generation_;       // of the process
};

// Why this cannot be committed under `by`, whatever the servers say.
[[nodiscard]] result<void> check_commit(const transaction& writes, const hold& by);
// bad_option if a part is about this znode, which stands for a hold.
[[nodiscard]] result<void> check_untouched(const transaction& writes, const std::string& znode);
// By the first part of `held`, while its other parts and the transaction's further holds are kept (commit_holds.cpp).
// What is written has been checked.
result<commit_result> commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                                const commit_options& options);
void async_commit_by(const std::shared_ptr<hold>& held, const transaction& writes,
                     const commit_options& options,
                     std::function<void(result<commit_result>)> handler);
// Reads in the first part's session, where the end of each earlier hold has been seen: docs/why/guarded-writes.md.
[[nodiscard]] result<core::reply> read_by(const std::shared_ptr<hold>& held,
                                          const std::string& path, const query_options& options);

}  // namespace turnstile::detail
