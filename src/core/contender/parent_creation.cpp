// SPDX-License-Identifier: Apache-2.0
#include "core/contender/parent_creation.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "core/contender/refusals.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core {

namespace {

// The parents may be reaped between our creating them and our using them, but not for ever.
constexpr int k_max_rounds = 16;

// "/a", "/a/b", "/a/b/c" for "/a/b/c".
std::vector<std::string> prefixes(const std::string& path) {
    std::vector<std::string> result;
    for (auto at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        result.push_back(path.substr(0, at));
    result.push_back(path);
    return result;
}

}  // namespace

bool parent_creation::expects(ticket id) const {
    return std::find(creating_.begin(), creating_.end(), id) != creating_.end();
}

std::optional<error> parent_creation::create(acquisition_context& c, const std::string& folder,
                                             folder_kind kind,
                                             std::optional<std::int32_t> permits) {
    TURNSTILE_CHECK(!is_under_way());
    if (refusal_) return refusal_;
    if (++rounds_ > k_max_rounds)
        return error{errc::protocol, folder + " keeps vanishing after we made it"};
    if (kind == folder_kind::semaphore && !permits)
        return error{errc::bad_path, folder +
                                         " is no semaphore yet, and how many permits it is to "
                                         "have was not said"};
    for (auto& path : prefixes(folder)) {
        create_op parent{std::move(path), {}, c.parent_mode(), c.acl()};
        // A semaphore's number of permits must outlive its last contender.
        if (kind == folder_kind::semaphore && parent.path == folder) {
            parent.data = limit_text({*permits, *permits});
            parent.mode = create_mode::persistent;
        }
        creating_.push_back(c.submit(std::move(parent)));
    }
    return std::nullopt;
}

consequence parent_creation::on_answer(acquisition_context& c, const std::string& folder,
                                       const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    // The first of them has the chroot as its parent, and their answers come in order.
    const bool first = creating_.size() == prefixes(folder).size();
    std::erase(creating_, answer.id);
    if (answer.outcome != outcome::answered) {
        rounds_ = 0;  // this answer says nothing about parents that vanish
        if (answer.outcome == outcome::unknown) c.parent_create_lost();
        return suspends{};
    }
    switch (answer.error) {
        case server_error::quota_exceeded: refusal_ = quota_exceeded(folder); break;
        case server_error::unimplemented: c.containers_unsupported(); break;
        case server_error::no_node:
            if (first) refusal_ = error{errc::no_chroot, folder};
            break;
        case server_error::no_auth:
            // Not final: the parent may be there already, and only the right to make it is missing.
            refusal_ = error{errc::no_permission, "to create the parents of " + folder};
            break;
        case server_error::no_children_for_ephemerals:
            refusal_ = ephemeral_in_the_way(folder, "a parent");
            break;
        case server_error::invalid_acl:
            refusal_ = error{errc::bad_option, "access_policy::creator_only needs credentials"};
            break;
        case server_error::ok:
        case server_error::node_exists:
        case server_error::not_empty:
        case server_error::bad_version:
        case server_error::bad_arguments:
        case server_error::not_read_only:
        case server_error::rolled_back:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::auth_failed:
        case server_error::throttled:
        case server_error::local_session:
        case server_error::other: break;
    }
    return goes_on{};  // with the contender's create: if the folder is still missing it tells the refusal
}

}  // namespace turnstile::core
