// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/odd_znodes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "core/queue/znode_texts.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/listed_lock.hpp"

namespace turnstile {
namespace {

using core::server_error;

// The longest data, in bytes, that the library writes into the znode of a lock's path.
constexpr std::int32_t k_longest_mark = 64;

struct candidate {
    std::string path;
    bool in_queue = false;  // its siblings are contenders
};

bool is_mark(const std::string& data) {
    return data.empty() || core::parse_low_water_mark(core::contender_family::lock, data) ||
           core::parse_low_water_mark(core::contender_family::latch, data);
}

class inspector {
public:
    inspector(const client& servers, const query_options& options)
        : client_{detail::internals::of(servers)}, options_{detail::with_deadline(options)} {}

    result<odd_survey> inspect(const std::string& folder) {
        if (!client_) return error{errc::closed, "the client object was moved from"};
        if (const auto good = base::validate_path(folder); !good) return good.error();
        std::vector<candidate> level{{folder, false}};
        std::size_t seen = 1;
        while (!level.empty()) {
            std::vector<candidate> next;
            if (const auto listed = list_level(level, next); !listed) return listed.error();
            seen += next.size();
            if (seen > detail::k_most_folders)
                return error{errc::too_many,
                             fmt::format("{}: more than {} znodes below this folder, and a call "
                                         "examines no more; name a folder further down",
                                         folder, detail::k_most_folders)};
            level = std::move(next);
        }
        if (const auto read = look_at_contenders(); !read) return read.error();
        if (const auto read = look_at_empty_folders(); !read) return read.error();
        std::sort(survey_.found.begin(), survey_.found.end(),
                  [](const auto& a, const auto& b) { return a.path < b.path; });
        std::sort(survey_.unreadable.begin(), survey_.unreadable.end());
        return std::move(survey_);
    }

private:
    result<void> list_level(const std::vector<candidate>& level, std::vector<candidate>& next) {
        std::vector<std::string> paths;
        for (const auto& each : level) paths.push_back(each.path);
        const auto answers = detail::ask_each(
            *client_, paths, options_, [](const auto& path) { return core::children_op{path}; });
        if (!answers) return answers.error();
        for (std::size_t i = 0; i != level.size(); ++i) {
            const auto& answer = (*answers)[i];
            if (answer.error == server_error::no_node) continue;
            if (answer.error == server_error::no_auth) {
                survey_.unreadable.push_back(paths[i]);
            } else if (answer.error != server_error::ok) {
                return detail::query_refusal(answer.error, paths[i]);
            } else if (answer.children.empty()) {
                sort_out(level[i], answer.stat);
            } else {
                take_children(paths[i], answer.children, next);
            }
        }
        return {};
    }

    void take_children(const std::string& folder, const std::vector<std::string>& children,
                       std::vector<candidate>& next) {
        const bool queue = std::any_of(children.begin(), children.end(), [](const auto& child) {
            return detail::lock_of(child).has_value();
        });
        for (const auto& child : children) {
            auto path = base::child_path(folder, child);
            if (detail::lock_of(child)) {
                contenders_.push_back(std::move(path));
            } else if (path != detail::k_servers_own) {
                next.push_back({std::move(path), queue});
            }
        }
    }

    // A znode without children may be the folder of a free lock, data of a recipe, or another program's znode.
    void sort_out(const candidate& leaf, const core::stat& about) {
        const bool had_children = about.cversion > 0;
        if (had_children && about.ephemeral_owner == 0 && about.data_length <= k_longest_mark)
            empty_folders_.push_back(leaf.path);
        if (!had_children && leaf.in_queue && about.ephemeral_owner >= 0)
            add(oddity::foreign_child, leaf.path);
    }

    result<void> look_at_contenders() {
        const auto answers =
            detail::ask_each(*client_, contenders_, options_,
                             [](const auto& path) { return core::exists_op{path}; });
        if (!answers) return answers.error();
        for (std::size_t i = 0; i != contenders_.size(); ++i)
            if ((*answers)[i].error == server_error::ok && (*answers)[i].stat.ephemeral_owner == 0)
                add(oddity::persistent_contender, contenders_[i]);
        return {};
    }

    result<void> look_at_empty_folders() {
        const auto answers = detail::ask_each(*client_, empty_folders_, options_,
                                              [](const auto& path) { return core::get_op{path}; });
        if (!answers) return answers.error();
        for (std::size_t i = 0; i != empty_folders_.size(); ++i)
            if ((*answers)[i].error == server_error::ok && is_mark((*answers)[i].data))
                add(oddity::empty_folder, empty_folders_[i]);
        return {};
    }

    void add(oddity kind, std::string path) { survey_.found.push_back({kind, std::move(path)}); }

    const std::shared_ptr<detail::client_impl> client_;
    const query_options options_;
    std::vector<std::string> contenders_;
    std::vector<std::string> empty_folders_;
    odd_survey survey_;
};

}  // namespace

const char* to_string(oddity kind) noexcept {
    switch (kind) {
        case oddity::persistent_contender: return "persistent_contender";
        case oddity::foreign_child: return "foreign_child";
        case oddity::empty_folder: return "empty_folder";
    }
    return "unknown";
}

result<odd_survey> odd_znodes_below(const client& servers, std::string_view folder,
                                    const query_options& options) {
    return inspector{servers, options}.inspect(std::string{folder});
}

result<bool> remove_empty_folder(const client& servers, std::string_view path,
                                 const query_options& options) {
    if (const auto good = base::validate_path(path); !good) return good.error();
    const auto impl = detail::internals::of(servers);
    if (!impl) return error{errc::closed, "the client object was moved from"};
    const auto answer = impl->write_repeatedly({core::remove_op{std::string{path}}}, options);
    if (!answer) return answer.error();
    switch (answer->front().error) {
        case server_error::ok: return true;
        case server_error::no_node:
        case server_error::not_empty: return false;
        case server_error::no_auth:
            return error{errc::no_permission, "to remove " + std::string{path}};
        default: return error{errc::protocol, "a refusal to remove " + std::string{path}};
    }
}

}  // namespace turnstile
