// SPDX-License-Identifier: Apache-2.0
// commit_queue: the commits (guarded writes) of one hold, in the order in which callers requested them, and for each
// commit its plan: the operations that are sent to the servers (commit_plan).
//
// Thread safety: none, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contender/contender_effects.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// Ensures that the znode exists with this data: creates it or overwrites its data.
struct put_op {
    std::string path;
    std::string data;
    acl_policy acl = acl_policy::open;  // for a znode that is created
    friend bool operator==(const put_op&, const put_op&) = default;
};
// Ensures that the znode and all its parents exist. Creates missing znodes as persistent znodes without data.
struct make_op {
    std::string path;
    acl_policy acl = acl_policy::open;
    friend bool operator==(const make_op&, const make_op&) = default;
};
using write_part = std::variant<check_op, create_op, remove_op, set_op, put_op, make_op>;

// commit_plan: turns the parts of a guarded write into the operations that are sent to the servers.
//
// Most parts name an operation, and are sent unchanged. `put_op` and `make_op` name a desired state instead, so their
// operations depend on the znodes that exist. The client first reads which znodes exist, and then derives the *steps*
// of the transaction. If another client changes a znode before the steps arrive, the servers refuse one step and roll
// all steps back. That refusal shows that the plan is outdated, so the client reads again and makes a new plan. If a
// step fails for a reason that does not depend on the reading, the caller's part is refused.
//
// If the znode of a make_op exists already, the transaction checks that it still exists: another client may have
// removed it, and servers that continue from older data may have lost it. The plan omits a check that the servers
// refuse because the client may not read the znode.
class commit_plan {
public:
    explicit commit_plan(std::vector<write_part> parts);

    // Returns the paths whose existence the client must look up before it calls draw(). Empty if the steps of the
    // transaction are known already.
    [[nodiscard]] std::vector<std::string> questions() const;
    [[nodiscard]] bool is_drawn() const noexcept { return drawn_; }
    // Derives the steps of the transaction. `there` has those paths of questions() that exist.
    void draw(const std::set<std::string>& there);
    // Discards the steps of the transaction, because the servers refused the step `which` with `why`, and
    // is_outdated_by(which, why) is true.
    void discard(std::size_t which, server_error why);

    [[nodiscard]] std::vector<multi_part> steps() const;
    // The caller's request has parts, and the transaction has steps. Returns the index of the part to which the step
    // `which` belongs.
    [[nodiscard]] std::size_t part_of(std::size_t which) const { return steps_.at(which).part; }
    // True if the servers refused the step `which` for a reason that the caller's request has not caused: another
    // client changed a znode, or the client may not read a znode that the step checks.
    [[nodiscard]] bool is_outdated_by(std::size_t which, server_error why) const;

    // Converts the servers' answers for the steps of the transaction to answers for the parts of the caller's
    // request. A part without an answer gets `none`.
    template <class T>
    [[nodiscard]] std::vector<T> for_parts(std::vector<T>&& answers, const T& none) const {
        std::vector<T> all(parts_.size(), none);
        for (std::size_t i = 0; i < steps_.size() && i < answers.size(); ++i)
            if (steps_[i].is_answer) all[steps_[i].part] = std::move(answers[i]);
        return all;
    }

    friend bool operator==(const commit_plan&, const commit_plan&) = default;

private:
    struct step {
        multi_part request;
        std::size_t part = 0;
        enum class kind { as_told, put, make } why = kind::as_told;
        // True: the answer to this step is the result of a part of the caller's request. False: the step creates a
        // parent of the part's znode, or only checks that the znode exists.
        bool is_answer = true;
        friend bool operator==(const step&, const step&) = default;
    };

    void add(std::size_t part, std::set<std::string>& there);

    std::vector<write_part> parts_;
    std::vector<step> steps_;
    std::set<std::string> unreadable_;  // znodes that exist, but may not be checked
    bool drawn_ = false;
};

// commit_queue: the commits of one hold, in the order in which callers requested them.
//
// The oldest commit may be in progress (guarded_write.hpp). Each caller gets one answer. A caller may give up on a
// commit that may have been sent. Then the caller gets an answer at once, and the commit stays in the queue until its
// outcome is known.
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
