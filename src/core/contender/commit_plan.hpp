// SPDX-License-Identifier: Apache-2.0
// commit_plan: the operations that are sent to the servers for the parts of a guarded write.
//
// Most parts name an operation, and are sent unchanged. `put_op` and `make_op` name a desired state instead, so the
// necessary operations depend on the znodes that exist. The client reads these first, and derives the *steps* from the
// answers. If another client changes a znode before the steps arrive, the servers refuse one step and roll all of them
// back. The refusal shows that the plan is outdated, and the client reads again and makes a new plan. If a step fails
// for a reason that another reading does not change, the caller's part is refused. A znode of a make_op that exists
// already is checked in the transaction: it may be removed meanwhile, or forgotten by servers that went on from older
// data. A check that is refused because we may not read the znode is left out.
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

// Afterwards the znode exists with this data, whether or not it existed before.
struct put_op {
    std::string path;
    std::string data;
    acl_policy acl = acl_policy::open;  // if it is created
    friend bool operator==(const put_op&, const put_op&) = default;
};
// Afterwards the znode and all its parents exist. Missing ones are created as persistent znodes without data.
struct make_op {
    std::string path;
    acl_policy acl = acl_policy::open;
    friend bool operator==(const make_op&, const make_op&) = default;
};
using write_part = std::variant<check_op, create_op, remove_op, set_op, put_op, make_op>;

class commit_plan {
public:
    explicit commit_plan(std::vector<write_part> parts);

    // Paths whose existence must be known before draw(). Empty: the steps have been drawn already.
    [[nodiscard]] std::vector<std::string> questions() const;
    [[nodiscard]] bool is_drawn() const noexcept { return drawn_; }
    // Derives the steps. `there`: those paths of questions() that exist.
    void draw(const std::set<std::string>& there);
    // Discards the steps: an answer to the questions is out of date, or this step's check is forbidden.
    void discard(std::size_t which, server_error why);

    [[nodiscard]] std::vector<multi_part> steps() const;
    // The caller's part that the step belongs to, counted from 0.
    [[nodiscard]] std::size_t part_of(std::size_t which) const { return steps_.at(which).part; }
    // True if a refusal of this step shows only that another client has made a change, or that the check is forbidden.
    [[nodiscard]] bool is_outdated_by(std::size_t which, server_error why) const;

    // Converts one answer for each step to one for each part; `none` for a part without a step that has an answer.
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
        // True: the step's answer is the part's result. False: it creates a parent of the part's znode, or only checks.
        bool is_answer = true;
        friend bool operator==(const step&, const step&) = default;
    };

    void add(std::size_t part, std::set<std::string>& there);

    std::vector<write_part> parts_;
    std::vector<step> steps_;
    std::set<std::string> unreadable_;  // they exist, but may not be checked
    bool drawn_ = false;
};

// The parents of the path and the path itself, without the root: "/a", "/a/b" for "/a/b".
[[nodiscard]] std::vector<std::string> way_to(const std::string& path);

}  // namespace turnstile::core
