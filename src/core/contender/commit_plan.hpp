// SPDX-License-Identifier: Apache-2.0
// commit_plan: what the servers are sent for the parts of a guarded write.
//
// Parts that say what is to be done are sent as they are. `put_op` and `make_op` say what is to be, so that what has
// to be done depends on what is there: that is read first, and the *steps* are drawn up by it. If another client has
// changed it by the time that the steps arrive, the servers refuse one of them, all are rolled back, and the refusal
// shows that the plan is outdated: it is read and drawn again. Where a step fails for a reason that reading again
// does not change, it is the caller's part that is refused. A znode that is to be made and is there is checked: it may
// be gone by then, removed, or forgotten by servers that went on from older data. A check that is refused for want of
// the right to read is left out.
//
// A pure value. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::core {

// The znode has this data afterwards, whether or not it was there.
struct put_op {
    std::string path;
    std::string data;
    acl_policy acl = acl_policy::open;  // if it is created
    friend bool operator==(const put_op&, const put_op&) = default;
};
// The znode is there afterwards, and those above it: persistent ones without data where they were missing.
struct make_op {
    std::string path;
    acl_policy acl = acl_policy::open;
    friend bool operator==(const make_op&, const make_op&) = default;
};
using write_part = std::variant<check_op, create_op, remove_op, set_op, put_op, make_op>;

class commit_plan {
public:
    explicit commit_plan(std::vector<write_part> parts);

    // Whose presence has to be known before the steps can be drawn up; nothing: they are there already.
    [[nodiscard]] std::vector<std::string> questions() const;
    [[nodiscard]] bool is_drawn() const noexcept { return drawn_; }
    // `there`: those of the questions' znodes that are there.
    void draw(const std::set<std::string>& there);
    // What was read is not so any more, or this step's check is not to be had.
    void discard(std::size_t which, server_error why);

    [[nodiscard]] std::vector<multi_part> steps() const;
    // The caller's part that the step belongs to, counted from 0.
    [[nodiscard]] std::size_t part_of(std::size_t which) const { return steps_.at(which).part; }
    // A refusal of this step shows only that another client has changed what was read, or that it may not be checked.
    [[nodiscard]] bool is_outdated_by(std::size_t which, server_error why) const;

    // Of answers for each step those for each part, `none` where it took no step that has one.
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
        // The part's result comes with its reply; false: it creates a parent of the part's znode, or checks what is there.
        bool is_answer = true;
        friend bool operator==(const step&, const step&) = default;
    };

    void add(std::size_t part, std::set<std::string>& there);

    std::vector<write_part> parts_;
    std::vector<step> steps_;
    std::set<std::string> unreadable_;  // there, and not to be checked
    bool drawn_ = false;
};

// The path's parents and the path itself, the root excluded: "/a", "/a/b" of "/a/b".
[[nodiscard]] std::vector<std::string> way_to(const std::string& path);

}  // namespace turnstile::core
