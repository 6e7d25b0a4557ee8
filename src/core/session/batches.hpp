// SPDX-License-Identifier: Apache-2.0
// batches: requests of several contenders, which the session sends in one transaction: creates of contenders that enter
// their queues at the same time (creation_batch), and removals of znodes (removal_queue).
// entry_steps decides when creates share a transaction (start_several).
//
// docs/why/mutex.md, steps 1 and 7, says what the session does if a request is refused or its answer is lost.
//
// Thread safety: none, values.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct creation {
    contender_id contender{};
    ticket id{};  // the ticket by which the contender expects its answer
    create_op znode;
    friend bool operator==(const creation&, const creation&) = default;
};

// Limits of one request: number of creates, and bytes of their paths and data. The limits for removals have
// the same values, and explain them (k_most_removals).
inline constexpr std::size_t k_most_creations = 64;
inline constexpr std::size_t k_most_creation_bytes = 16 * 1024;
// While this many creates are in progress, alone or in transactions, further contenders wait. With two creates in
// progress, the servers execute one create while the answer to the other create is on its way.
inline constexpr std::size_t k_creations_under_way = 2;

struct creation_limits {
    std::size_t under_way = k_creations_under_way;
    std::size_t together = k_most_creations;
    friend bool operator==(const creation_limits&, const creation_limits&) = default;
};

// creation_batch: creates of contenders that enter their queues at the same time, sent in one transaction.
//
// While creation_limits::under_way creates are in progress, further contenders wait in the state `outside`. After the
// next answer they enter together. A contender that comes alone enters at once. Creates in one folder never share a
// transaction, so they need not wait for one another: a create in the folder of the previous create does not count
// towards creation_limits::under_way.
//
//     if (batch.is_open()) { batch.begin(); ...; batch.add({contender, id, znode}); }
//     for (auto& group : batch.take()) batch.sent(send(creation_request(group, probe)), group);
//     ...
//     batch.answered(id);
//
// Between `begin` and `take` the creates gather. The creates of one transaction are in different folders: all znodes of
// a transaction have one czxid, which becomes the hold's token, and two holds of one lock must never have the same
// token. The C client does not report the czxid of a znode that was created in a transaction, but it reports the stat
// after a set. So the transaction also creates a probe znode, sets it and removes it again; no client ever sees the
// probe.
class creation_batch {
public:
    explicit creation_batch(const creation_limits& limits = {}) : limits_{limits} {}

    // ---- the creates that wait for one transaction ----
    void begin() noexcept { gathers_ = true; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    [[nodiscard]] bool is_full() const noexcept { return waiting_.size() >= limits_.together; }
    void add(creation&& added);
    // Returns all creates that have gathered since begin(), in order, in one group for each transaction. Ends the
    // gathering.
    [[nodiscard]] std::vector<std::vector<creation>> take();

    // ---- the requests in progress ----
    // True if a contender may enter its queue now: creates gather for a transaction, or fewer creates than the limit
    // are in progress.
    [[nodiscard]] bool is_open() const noexcept {
        return gathers_ || creates_under_way_ < limits_.under_way;
    }
    // Counts the creates of a request that the session sends.
    void sent(ticket request, std::span<const creation> creates);
    void answered(ticket request);
    // Called at a new connection: requests of earlier connections no longer count as in progress.
    void reattached();

    friend bool operator==(const creation_batch&, const creation_batch&) = default;

private:
    creation_limits limits_;
    std::vector<creation> waiting_;
    // For each request in progress, the number of its creates that count towards creation_limits::under_way.
    std::map<ticket, std::size_t> under_way_;
    std::size_t creates_under_way_ = 0;
    // The folder of the latest create, if that create was sent alone. Empty if no request is in progress.
    std::string latest_folder_;
    bool gathers_ = false;
};

// Makes one request for all creates. `probe`: a free name for a further znode, which the same request creates, sets and
// removes. The answer to the set contains the czxid of all these znodes.
[[nodiscard]] operation creation_request(const std::vector<creation>& all,
                                         const std::string& probe);
[[nodiscard]] reply creation_answer(const std::vector<creation>& all, std::size_t which,
                                    const reply& together);
// Returns the index of the create that the servers refused; nothing if the answer names no create.
[[nodiscard]] std::optional<std::size_t> refused_creation(const std::vector<creation>& all,
                                                          const reply& together);
[[nodiscard]] reply refusal_of_creation(const creation& refused, server_error why,
                                        const reply& together);

struct removal {
    contender_id contender{};
    ticket id{};  // the ticket by which the contender expects its answer
    std::string path;
    std::vector<std::string> watched;  // paths that only this contender watches
    bool awaited = false;              // true: another contender may wait for this removal
    friend bool operator==(const removal&, const removal&) = default;
};

// Limits of one request: number of removals, and bytes of their paths. A transaction within these limits occupies the
// servers no longer than a small write. The 16 KiB are a sixty-fourth of the servers' default limit for a packet
// (jute.maxbuffer, 1 MiB), so every server accepts the transaction.
inline constexpr std::size_t k_most_removals = 64;
inline constexpr std::size_t k_most_removal_bytes = 16 * 1024;
// While this many requests with removals are in progress, further removals gather. With two requests in progress, the
// servers execute one request while the answer to the other request is on its way. With more requests, the session's
// next release would wait behind more removals.
inline constexpr std::size_t k_removals_under_way = 2;
// While this many requests with removals are in progress, removals for which other contenders wait (awaited removals)
// gather, too. Below this number a release is sent at once.
inline constexpr std::size_t k_awaited_removals_under_way = 4;

struct removal_limits {
    std::size_t under_way = k_removals_under_way;
    std::size_t awaited_under_way = k_awaited_removals_under_way;
    std::size_t together = k_most_removals;
    friend bool operator==(const removal_limits&, const removal_limits&) = default;
};

// removal_queue: removals of znodes whose contenders have given up or released their holds.
//
// A removal that comes alone is sent at once. While removal_limits::under_way requests with removals are in progress,
// further removals gather, and are sent together. So the cancellation of a hundred thousand acquires costs the servers
// far fewer requests.
//
// A removal is *awaited* if another contender may wait for it: the removal of the znode of a hold, or of a waiter with
// no contender ahead. Awaited removals overtake the other removals, gather only while removal_limits::awaited_under_way
// requests are in progress, and never share a request with other removals.
//
//     queue.add({contender, id, path});
//     while (queue.ready()) queue.sent(send(queue.take()));
//     ...
//     queue.answered(id);  // then loop again while it is ready
class removal_queue {
public:
    explicit removal_queue(const removal_limits& limits = {}) : limits_{limits} {}

    void add(removal&& added);
    // Between gather(true) and gather(false) the queue hands out no removal. So one transaction removes the znodes of
    // all holds that one call releases.
    void gather(bool begins) noexcept { gathers_ = begins; }
    [[nodiscard]] bool empty() const noexcept { return awaited_.empty() && waiting_.empty(); }
    // True if more removals wait than fit into one request. Does not count awaited removals, for which other contenders
    // wait.
    [[nodiscard]] bool crowded() const noexcept { return waiting_.size() > limits_.together; }
    [[nodiscard]] bool ready() const noexcept {
        // place: awaited_removals_are_sent
        return !gathers_ && (is_ready(awaited_, limits_.awaited_under_way) ||
                             is_ready(waiting_, limits_.under_way));
    }
    // Returns the removals for one request, the oldest first: awaited removals (for which other contenders wait) if
    // there are any, or else other removals. Allowed only if ready().
    [[nodiscard]] std::vector<removal> take();
    void sent(ticket request) { under_way_.insert(request); }
    void answered(ticket request) { under_way_.erase(request); }
    // Called when the removal needs no further request, because its contender has got the answer or has ended.
    void over(const removal& removed) { on_their_way_.erase(removed.path); }
    // True if a removal of this path waits or is in progress.
    [[nodiscard]] bool removes(const std::string& path) const {
        return on_their_way_.contains(path);
    }
    // Called at a new connection: requests of earlier connections no longer count as in progress.
    void reattached() { under_way_.clear(); }

    friend bool operator==(const removal_queue&, const removal_queue&) = default;

private:
    [[nodiscard]] bool is_ready(const std::deque<removal>& some, std::size_t most) const noexcept {
        return !some.empty() && under_way_.size() < most;
    }

    removal_limits limits_;
    std::set<ticket> under_way_;
    std::deque<removal> awaited_;
    std::deque<removal> waiting_;
    std::set<std::string> on_their_way_;
    bool gathers_ = false;
};

[[nodiscard]] operation removal_request(const std::vector<removal>& all);

}  // namespace turnstile::core
