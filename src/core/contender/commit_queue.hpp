// SPDX-License-Identifier: Apache-2.0
// commit_queue: the commits of one hold, in the order in which callers requested them.
//
// The oldest commit may be in progress (guarded_write.hpp). Each caller gets one answer. A caller may give up on a
// commit that may have been sent. Then the caller gets an answer at once, and the commit stays in the queue until its
// outcome is known.
//
// Thread safety: none, a value.
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
        std::vector<std::string> further;  // znodes of further holds, which must exist
        bool answered = false;             // the caller has got its answer
        friend bool operator==(const commit&, const commit&) = default;
    };

    [[nodiscard]] bool empty() const noexcept { return commits_.empty(); }
    void add(commit_id id, std::vector<write_part> parts, std::vector<std::string> further);
    // Returns the oldest commit, which is in progress or is sent next. The queue must not be empty.
    [[nodiscard]] commit& front();
    [[nodiscard]] const commit& front() const;
    // True if the commit is in the queue and its caller still waits for it.
    [[nodiscard]] bool is_awaited(commit_id id) const;
    [[nodiscard]] bool is_front(commit_id id) const;

    // Ends the oldest commit. Its caller gets the outcome, unless the caller has already got an answer.
    void finish_front(commit_outcome&& outcome, std::vector<write_effect>& out);
    void drop_answered_front();
    void fail_behind(std::size_t kept, const error& why, std::vector<write_effect>& out);
    // Answers the caller of an awaited commit now, and keeps the commit in the queue.
    void answer(commit_id id, const error& why, std::vector<write_effect>& out);
    // Removes an awaited commit from the queue, and answers its caller with `why`.
    void fail(commit_id id, const error& why, std::vector<write_effect>& out);

    friend bool operator==(const commit_queue&, const commit_queue&) = default;

private:
    [[nodiscard]] std::deque<commit>::iterator find(commit_id id);

    std::deque<commit> commits_;
};

}  // namespace turnstile::core
