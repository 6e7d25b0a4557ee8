// SPDX-License-Identifier: Apache-2.0
// removal_queue: the znodes of a session's contenders that have given up, on their way out of the servers.
//
// A removal that comes alone goes at once, by itself. While removal_limits::under_way requests of removals are under way
// the others gather, and go together, so that a hundred thousand acquires that are cancelled at once cost the servers
// far fewer requests.
//
//     queue.add({contender, id, path});
//     while (queue.ready()) queue.sent(send(queue.take()));
//     ...
//     queue.answered(id);  // and again, while it is ready
//
// docs/why/mutex.md, step 7, has what becomes of a request that is refused or lost. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct removal {
    acquisition_id contender{};
    ticket id{};  // by which the contender knows its answer
    std::string path;
    std::vector<std::string> watched;  // by it alone, to be given back when this is sent
    friend bool operator==(const removal&, const removal&) = default;
};

// So many in one request, of so many bytes of paths: a transaction that holds the servers up for no longer than a
// small write does, and, at a sixty-fourth of their jute.maxbuffer (1 MiB), one that none of them is too small for.
inline constexpr std::size_t k_most_removals = 64;
inline constexpr std::size_t k_most_removal_bytes = 16 * 1024;
// Requests that are under way before others gather: one at the servers while the answer to the other is on its way.
// More would only put more of the session's own removals ahead of its next release.
inline constexpr std::size_t k_removals_under_way = 2;

struct removal_limits {
    std::size_t under_way = k_removals_under_way;
    std::size_t together = k_most_removals;
    friend bool operator==(const removal_limits&, const removal_limits&) = default;
};

class removal_queue {
public:
    explicit removal_queue(const removal_limits& limits = {}) : limits_{limits} {}

    void add(removal&& added);
    // In between none is ready: those that are given up in one go are to go together, holds too.
    void gather(bool begins) noexcept { gathers_ = begins; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
    // More than go in one request.
    [[nodiscard]] bool crowded() const noexcept { return waiting_.size() > limits_.together; }
    [[nodiscard]] bool ready() const noexcept {
        return !waiting_.empty() && !gathers_ && under_way_.size() < limits_.under_way;
    }
    // The oldest ones, as many as go together; there must be one.
    [[nodiscard]] std::vector<removal> take();
    void sent(ticket request) { under_way_.insert(request); }
    void answered(ticket request) { under_way_.erase(request); }
    // Its acquisition has the answer.
    void over(const removal& removed) { on_their_way_.erase(removed.path); }
    // Waits, or is under way.
    [[nodiscard]] bool removes(const std::string& path) const {
        return on_their_way_.contains(path);
    }
    // What was sent on an earlier connection is not waited for.
    void reattached() { under_way_.clear(); }

    friend bool operator==(const removal_queue&, const removal_queue&) = default;

private:
    removal_limits limits_;
    std::set<ticket> under_way_;
    std::deque<removal> waiting_;
    std::set<std::string> on_their_way_;
    bool gathers_ = false;
};

// One request for all of them.
[[nodiscard]] operation removal_request(const std::vector<removal>& all);

}  // namespace turnstile::core
