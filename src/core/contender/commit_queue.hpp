// SPDX-License-Identifier: Apache-2.0
// commit_queue: the commits of one hold in the order in which their callers asked for them.
//
// The oldest one may be under way: guarded_write.hpp says when. A caller is told once: one that has given up on a
// commit that may have been sent is told so at once, and its commit stays in the queue until its outcome is known.
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
        std::vector<std::string> standing;  // znodes of further holds, which have to stand
        bool answered = false;              // the caller has been told
        friend bool operator==(const commit&, const commit&) = default;
    };

    [[nodiscard]] bool empty() const noexcept { return commits_.empty(); }
    void add(commit_id id, std::vector<write_part> parts, std::vector<std::string> standing);
    // The oldest commit, which is sent next or under way. The queue must not be empty.
    [[nodiscard]] commit& front();
    [[nodiscard]] const commit& front() const;
    // Whether the commit is here, and its caller still waits for it.
    [[nodiscard]] bool is_awaited(commit_id id) const;
    [[nodiscard]] bool is_front(commit_id id) const;

    // The oldest commit ends: its caller is told, unless it has been.
    void finish_front(commit_outcome&& outcome, std::vector<write_effect>& out);
    // The oldest commit ends if its caller has given up on it.
    void drop_answered_front();
    // All commits but the oldest `kept` end.
    void fail_behind(std::size_t kept, const error& why, std::vector<write_effect>& out);
    // The caller of an awaited commit is told now. The commit stays.
    void answer(commit_id id, const error& why, std::vector<write_effect>& out);
    // An awaited commit ends now.
    void fail(commit_id id, const error& why, std::vector<write_effect>& out);

    friend bool operator==(const commit_queue&, const commit_queue&) = default;

private:
    [[nodiscard]] std::deque<commit>::iterator find(commit_id id);

    std::deque<commit> commits_;
};

}  // namespace turnstile::core
