// SPDX-License-Identifier: Apache-2.0
#include "turnstile/lock_survey.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/path.hpp"
#include "client/internals.hpp"
#include "core/queue/permits.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/listed_lock.hpp"

namespace turnstile {
namespace {

using core::server_error;

struct found_lock {
    std::string path;
    detail::listed_lock listed;
};

class surveyor {
public:
    surveyor(const client& servers, const survey_options& options)
        : client_{detail::internals::of(servers)},
          options_{detail::with_deadline({options.timeout, options.stop})},
          most_read_{options.most_read} {}

    // Finds the locks whose contenders are in `folder`. If `deep`, also finds the locks in all folders below.
    result<lock_survey> survey(const std::string& folder, bool deep) {
        if (!client_) return error{errc::closed, "the client object was moved from"};
        if (const auto good = base::validate_path(folder); !good) return good.error();
        if (const auto listed = list(folder, deep); !listed) return listed.error();
        if (const auto read = read_contenders(); !read) return read.error();
        if (const auto read = read_permits(); !read) return read.error();
        for (std::size_t i = 0; i != listed_.size(); ++i)
            detail::tell_apart(survey_.locks[i], std::move(queues_[i]));
        std::sort(survey_.unreadable.begin(), survey_.unreadable.end());
        return std::move(survey_);
    }

private:
    result<void> list(const std::string& folder, bool deep) {
        std::vector<std::string> level{folder};
        std::size_t seen = 1;
        while (!level.empty()) {
            std::vector<std::string> next;
            if (const auto listed = list_level(level, next); !listed) return listed.error();
            std::erase(next, detail::k_servers_own);
            seen += next.size();
            if (seen > detail::k_most_folders) return detail::too_many_folders(folder);
            level = deep ? std::move(next) : std::vector<std::string>{};
        }
        std::stable_sort(listed_.begin(), listed_.end(),
                         [](const auto& a, const auto& b) { return a.path < b.path; });
        for (const auto& lock : listed_)
            survey_.locks.push_back(
                {lock.path, lock.listed.kind, lock.listed.names.size(), {}, {}});
        return {};
    }

    result<void> list_level(const std::vector<std::string>& level, std::vector<std::string>& next) {
        auto answers = detail::ask_each(*client_, level, options_, [](const std::string& folder) {
            return core::children_op{folder};
        });
        if (!answers) return answers.error();
        for (std::size_t i = 0; i != level.size(); ++i) {
            auto& answer = (*answers)[i];
            if (answer.error == server_error::no_node) continue;
            if (answer.error == server_error::no_auth) {
                survey_.unreadable.push_back(level[i]);
                continue;
            }
            if (answer.error != server_error::ok)
                return detail::query_refusal(answer.error, level[i]);
            auto sorted = detail::sort_children(std::move(answer.children));
            for (auto& lock : sorted.locks) listed_.push_back({level[i], std::move(lock)});
            for (const auto& name : sorted.folders)
                next.push_back(base::child_path(level[i], name));
        }
        return {};
    }

    result<void> read_contenders() {
        std::vector<std::string> znodes;
        for (const auto& lock : listed_)
            for (const auto& name : first_names(lock))
                znodes.push_back(base::child_path(lock.path, name));
        const auto answers = ask(znodes);
        if (!answers) return answers.error();
        std::span<const core::reply> rest{*answers};
        for (const auto& lock : listed_) {
            const auto names = first_names(lock);
            queues_.push_back(described(lock.listed.kind, names, rest.first(names.size())));
            rest = rest.subspan(names.size());
        }
        return {};
    }

    // Reads the number of permits, which a semaphore's folder has in its data.
    result<void> read_permits() {
        std::vector<std::string> folders;
        for (const auto& lock : listed_)
            if (lock.listed.kind == lock_kind::semaphore) folders.push_back(lock.path);
        const auto answers = ask(folders);
        if (!answers) return answers.error();
        auto answer = answers->begin();
        for (auto& lock : survey_.locks) {
            if (lock.kind != lock_kind::semaphore) continue;
            if (const auto limit = core::parse_limit(answer->data)) lock.permits = limit->now;
            ++answer;
        }
        return {};
    }

    [[nodiscard]] result<std::vector<core::reply>> ask(const std::vector<std::string>& znodes) {
        return detail::ask_each(*client_, znodes, options_,
                                [](const std::string& znode) { return core::get_op{znode}; });
    }

    [[nodiscard]] std::span<const std::string> first_names(const found_lock& lock) const {
        const auto& names = lock.listed.names;
        return std::span{names}.first(std::min(most_read_, names.size()));
    }

    // Describes the contenders. Omits contenders that have ended meanwhile.
    static std::vector<contender> described(lock_kind kind, std::span<const std::string> names,
                                            std::span<const core::reply> answers) {
        std::vector<contender> queue;
        for (std::size_t i = 0; i != names.size(); ++i) {
            if (answers[i].error == server_error::no_node) continue;
            auto entry = detail::describe_listed(kind, names[i], answers[i]);
            entry.position = queue.size();
            queue.push_back(std::move(entry));
        }
        return queue;
    }

    const std::shared_ptr<detail::client_impl> client_;
    const query_options options_;
    const std::size_t most_read_;
    std::vector<found_lock> listed_;
    std::vector<std::vector<contender>> queues_;  // the queue of each lock of listed_
    lock_survey survey_;
};

}  // namespace

const char* to_string(lock_kind kind) noexcept {
    switch (kind) {
        case lock_kind::mutex: return "mutex";
        case lock_kind::latch: return "latch";
        case lock_kind::shared_mutex: return "shared_mutex";
        case lock_kind::semaphore: return "semaphore";
        case lock_kind::kazoo: return "kazoo";
    }
    return "unknown";
}

result<lock_survey> locks_below(const client& servers, std::string_view folder,
                                const survey_options& options) {
    return surveyor{servers, options}.survey(std::string{folder}, true);
}

result<std::vector<surveyed_lock>> locks_at(const client& servers, std::string_view path,
                                            const survey_options& options) {
    auto found = surveyor{servers, options}.survey(std::string{path}, false);
    if (!found) return found.error();
    if (!found->unreadable.empty())
        return error{errc::no_permission, "to read " + std::string{path}};
    return std::move(found->locks);
}

}  // namespace turnstile
