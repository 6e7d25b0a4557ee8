// SPDX-License-Identifier: Apache-2.0
// commit_queue: the commits of one hold, in the order of their callers' requests.
//
// The oldest one may be in progress: guarded_write.hpp says when. Each caller gets one answer. A caller that gives up
// on a commit that may have been sent gets its answer at once; the commit stays in the queue until its outcome is
// known.
//
// A value. Thread safety: none.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "core/contender/commit_plan.hpp"
#include "core/contender/write_effects.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class commit_queue {
public:
    struct commit {
        commit_id id{};
        commit_plan plan;
        std::vector<std::string> standing;  // znodes of further holds, which must exist
        bool answered = false;              // the caller has its answer
        friend bool operator==(const commit&, const commit&) = default;
    };

    [[nodiscard]] bool empty() const noexcept { return commits_.empty(); }
    void add(commit_id id, std::vector<write_part> parts, std::vector<std::string> standing);
    // The oldest commit: in progress, or sent next. The queue must not be empty.
    [[nodiscard]] commit& front();
    [[nodiscard]] const commit& front() const;
    // True if the commit is in the queue and its caller still waits for it.
    [[nodiscard]] bool is_awaited(commit_id id) const;
    [[nodiscard]] bool is_front(commit_id id) const;

    // The oldest commit ends. Its caller gets the outcome, unless it has had an answer.
    void finish_front(commit_outcome&& outcome, std::vector<write_effect>& out);
    // Removes the oldest commit if its caller has given up on it.
    void drop_answered_front();
    // All commits except the oldest `kept` end with `why`.
    void fail_behind(std::size_t kept, const error& why, std::vector<write_effect>& out);
    // Answers the caller of an awaited commit now. The commit stays in the queue.
    void answer(commit_id id, const error& why, std::vector<write_effect>& out);
    // Ends an awaited commit now.
    void fail(commit_id id, const error& why, std::vector<write_effect>& out);

    friend bool operator==(const commit_queue&, const commit_queue&) = default;

private:
    [[nodiscard]] std::deque<commit>::iterator find(commit_id id);

    std::deque<commit> commits_;
};

}  // namespace turnstile::core
