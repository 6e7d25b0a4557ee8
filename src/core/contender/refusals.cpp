// SPDX-License-Identifier: Apache-2.0
#include "core/contender/refusals.hpp"

namespace turnstile::core {

error no_more_upgrades(const std::string& folder) {
    return {errc::too_many,
            "the sequence numbers of " + folder +
                " are used up at 2147483647: no hold at this path can be upgraded any more"};
}

error quota_exceeded(const std::string& path) {
    return {errc::quota_exceeded,
            "the server created or wrote no znode below " + path +
                "; /zookeeper/quota lists the quotas of this path and of its parents"};
}

error sessions_are_local(const std::string& path) {
    return {errc::local_session,
            path + ": localSessionsEnabled=true needs localSessionsUpgradingEnabled=true, too"};
}

error credentials_not_accepted() {
    return {errc::bad_option,
            "access_policy::creator_only needs credentials that the servers accept"};
}

error path_not_taken(const std::string& folder) {
    return {errc::bad_path, "\"" + folder +
                                "\": the servers refuse the path of a contender below this path, "
                                "perhaps for its length: the lock's path has " +
                                std::to_string(folder.size()) +
                                " bytes, and a contender's name adds some 60"};
}

error ephemeral_in_the_way(const std::string& folder, const std::string& which) {
    return {errc::bad_path,
            "\"" + folder + "\": " + which + " is ephemeral and cannot have children"};
}

std::optional<error> folder_refusal(const std::string& folder, server_error answer) {
    switch (answer) {
        case server_error::quota_exceeded: return quota_exceeded(folder);
        case server_error::no_auth:
            return error{errc::no_permission, "to create the parents of " + folder};
        case server_error::no_children_for_ephemerals:
            return ephemeral_in_the_way(folder, "a parent");
        case server_error::invalid_acl: return credentials_not_accepted();
        default: return std::nullopt;
    }
}

error taken_away(const std::string& folder, const revocation_text& order) {
    return {errc::revoked, folder + ", by " + order.by + ": " + order.why};
}

namespace {

const char* kind_name(contender_family family) {
    switch (family) {
        case contender_family::lock: return "mutex";
        case contender_family::latch: return "leader by LeaderLatch's protocol";
        case contender_family::read_write: return "shared_mutex";
        case contender_family::semaphore: break;
    }
    return "semaphore";
}

}  // namespace

std::string foreign_kind(const std::string& folder, contender_family ours,
                         contender_family theirs) {
    return folder + ": a " + kind_name(theirs) + " came first at this path, and a " +
           kind_name(ours) + " does not exclude a " + kind_name(theirs) +
           ": use one kind of lock, or another path (client_options::foreign_kinds)";
}

}  // namespace turnstile::core
