// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/path_trial.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/path.hpp"
#include "base/random.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile {
namespace {

using core::create_mode;
using core::server_error;
using std::chrono::milliseconds;
using wall_clock = std::chrono::system_clock;

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

error refusal(const std::string& path) {
    return {errc::protocol, "a refusal of the trial's requests at " + path};
}

class trial {
public:
    trial(detail::client_impl& client, const query_options& options)
        : client_{client}, options_{detail::with_deadline(options)} {}

    result<path_trial> run(std::string path) {
        if (auto found = find_folder(std::move(path)); !found) return found.error();
        if (auto tried = list(); !tried) return tried.error();
        auto random = base::random::from_system();
        znode_ = base::child_path(tried_.folder,
                                  "turnstile-trial-" + base::make_guid(random).substr(0, 8));
        const auto created = create();
        if (created.has_error()) return created.error();
        if (*created)
            if (auto removed = remove(); !removed) return removed.error();
        return std::move(tried_);
    }

private:
    // Finds the deepest existing znode on the path. Servers since 3.7.3, 3.8.4 and 3.9.2 answer no_auth for an existing
    // znode that the client may not read.
    result<void> find_folder(std::string path) {
        for (;;) {
            const auto there = client_.read({core::exists_op{path}}, options_);
            if (!there) return there.error();
            const auto answer = there->front().error;
            if (answer == server_error::ok || answer == server_error::no_auth || path == "/") break;
            path = folder_of(path);
        }
        tried_.folder = std::move(path);
        return {};
    }

    result<void> list() {
        const auto listed = client_.read({core::children_op{tried_.folder}}, options_);
        if (!listed) return listed.error();
        if (listed->front().error == server_error::no_auth)
            tried_.refused.push_back(path_right::list);
        return {};
    }

    result<bool> create() {
        auto code = create_as(create_mode::container);
        if (code && *code == server_error::unimplemented) {
            tried_.containers = false;
            code = create_as(create_mode::persistent);
        }
        if (!code) return code.error();
        if (*code == server_error::no_auth) {
            tried_.refused.push_back(path_right::create);
            return false;
        }
        // The name is random, so an existing znode was created by this request, whose earlier reply was lost.
        if (*code != server_error::ok && *code != server_error::node_exists) return refusal(znode_);
        return true;
    }

    result<server_error> create_as(create_mode mode) {
        const auto before = wall_clock::now();
        const auto answer = client_.write_repeatedly(
            {core::create_op{znode_, {}, mode, client_.services().acl}}, options_);
        if (!answer) return answer.error();
        const auto code = answer->front().error;
        if (code == server_error::ok) compare_clocks(before, wall_clock::now(), answer->front());
        return code;
    }

    void compare_clocks(wall_clock::time_point before, wall_clock::time_point after,
                        const core::reply& answer) {
        const auto half = (after - before) / 2;
        const wall_clock::time_point stamp{milliseconds{answer.stat.ctime}};
        tried_.clock = {.ahead = std::chrono::floor<milliseconds>(stamp - (before + half)),
                        .uncertainty = std::chrono::ceil<milliseconds>(
                                           std::max(half, wall_clock::duration{0})) +
                                       milliseconds{1}};
    }

    result<void> remove() {
        const auto answer = client_.write_repeatedly({core::remove_op{znode_}}, options_);
        if (!answer) return answer.error();
        const auto code = answer->front().error;
        if (code == server_error::ok || code == server_error::no_node) return {};
        tried_.left = znode_;
        if (code != server_error::no_auth) return refusal(znode_);
        tried_.refused.push_back(path_right::remove);
        return {};
    }

    detail::client_impl& client_;
    const query_options options_;
    path_trial tried_;
    std::string znode_;
};

}  // namespace

const char* to_string(path_right right) noexcept {
    switch (right) {
        case path_right::list: return "list";
        case path_right::create: return "create";
        case path_right::remove: return "remove";
    }
    return "unknown";
}

result<path_trial> try_path(const client& servers, std::string_view path,
                            const query_options& options) {
    if (const auto valid = base::validate_path(path); !valid) return valid.error();
    const auto impl = detail::internals::of(servers);
    if (!impl) return error{errc::closed};
    return trial{*impl, options}.run(std::string{path});
}

}  // namespace turnstile
