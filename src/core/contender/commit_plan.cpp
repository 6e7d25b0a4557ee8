// SPDX-License-Identifier: Apache-2.0
#include "core/contender/commit_plan.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/path.hpp"

namespace turnstile::core {

commit_plan::commit_plan(std::vector<write_part> parts) : parts_{std::move(parts)} {
    if (questions().empty()) draw({});
}

std::vector<std::string> commit_plan::questions() const {
    std::set<std::string> all;
    for (const auto& part : parts_) {
        if (const auto* put = std::get_if<put_op>(&part)) {
            all.insert(put->path);
        } else if (const auto* make = std::get_if<make_op>(&part)) {
            for (auto& path : base::path_from_root(make->path)) all.insert(std::move(path));
        }
    }
    return {all.begin(), all.end()};
}

void commit_plan::draw(const std::set<std::string>& there) {
    TURNSTILE_CHECK(!drawn_);
    steps_.clear();
    auto present = there;
    for (std::size_t i = 0; i != parts_.size(); ++i) add(i, present);
    drawn_ = true;
    TURNSTILE_CHECK(std::is_sorted(steps_.begin(), steps_.end(),
                                   [](const step& a, const step& b) { return a.part < b.part; }));
}

void commit_plan::discard(std::size_t which, server_error why) {
    TURNSTILE_CHECK(drawn_);
    const auto* const checked = std::get_if<check_op>(&steps_.at(which).request);
    if (checked != nullptr && why == server_error::no_auth) unreadable_.insert(checked->path);
    steps_.clear();
    drawn_ = false;
}

// Appends the steps for this part. `there` has the paths of the existing znodes. This function adds the paths of znodes
// that the steps create, because later parts of the transaction see these znodes.
void commit_plan::add(std::size_t part, std::set<std::string>& there) {
    using kind = step::kind;
    if (const auto* put = std::get_if<put_op>(&parts_[part])) {
        if (there.insert(put->path).second) {
            steps_.push_back({create_op{put->path, put->data, create_mode::persistent, put->acl},
                              part, kind::put});
        } else {
            steps_.push_back({set_op{put->path, put->data}, part, kind::put});
        }
    } else if (const auto* make = std::get_if<make_op>(&parts_[part])) {
        // place: what_is_made_is_checked
        if (there.contains(make->path) && !unreadable_.contains(make->path))
            steps_.push_back({check_op{make->path}, part, kind::make, false});
        for (const auto& path : base::path_from_root(make->path)) {
            if (!there.insert(path).second) continue;
            steps_.push_back({create_op{path, "", create_mode::persistent, make->acl}, part,
                              kind::make, path == make->path});
        }
    } else if (const auto* create = std::get_if<create_op>(&parts_[part])) {
        if (!is_sequential(create->mode)) there.insert(create->path);
        steps_.push_back({*create, part});
    } else if (const auto* removal = std::get_if<remove_op>(&parts_[part])) {
        there.erase(removal->path);
        steps_.push_back({*removal, part});
    } else if (const auto* set = std::get_if<set_op>(&parts_[part])) {
        steps_.push_back({*set, part});
    } else {
        steps_.push_back({std::get<check_op>(parts_[part]), part});
    }
}

std::vector<multi_part> commit_plan::steps() const {
    TURNSTILE_CHECK(drawn_);
    std::vector<multi_part> all;
    all.reserve(steps_.size());
    for (const auto& each : steps_) all.push_back(each.request);
    return all;
}

// A refusal for a missing parent is final for a put_op, because its caller must create the parents. For a make_op the
// same refusal shows that the plan is outdated, because the plan creates the parents.
bool commit_plan::is_outdated_by(std::size_t which, server_error why) const {
    TURNSTILE_CHECK(which < steps_.size());
    const auto& refused = steps_[which];
    if (refused.why == step::kind::as_told) return false;
    if (std::holds_alternative<check_op>(refused.request))
        return why == server_error::no_node || why == server_error::no_auth;
    if (!std::holds_alternative<create_op>(refused.request)) return why == server_error::no_node;
    if (why == server_error::node_exists) return true;
    return why == server_error::no_node && refused.why == step::kind::make;
}

}  // namespace turnstile::core
