// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contender_errors.hpp"

#include <string>
#include <variant>

#include "base/path.hpp"

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

namespace {

std::string describe(const multi_part& part) {
    const auto with_version = [](const std::string& text, std::int32_t version) {
        return version == k_any_version ? text : text + ", version " + std::to_string(version);
    };
    if (const auto* create = std::get_if<create_op>(&part)) return "create \"" + create->path + '"';
    if (const auto* removal = std::get_if<remove_op>(&part))
        return with_version("remove \"" + removal->path + '"', removal->version);
    if (const auto* set = std::get_if<set_op>(&part))
        return with_version("set \"" + set->path + '"', set->version);
    const auto& check = std::get<check_op>(part);
    return with_version("check \"" + check.path + '"', check.version);
}

// The error for a refused part. `rule` is empty if the error code needs no explanation.
struct part_error {
    errc code = errc::protocol;
    const char* rule = "a refusal";

    [[nodiscard]] std::string of(const std::string& part) const {
        return *rule == '\0' ? part : part + ": " + rule;
    }
};

part_error refusal_of(server_error why) noexcept {
    switch (why) {
        case server_error::no_node: return {errc::no_node, ""};
        case server_error::node_exists: return {errc::node_exists, ""};
        case server_error::not_empty: return {errc::not_empty, ""};
        case server_error::bad_version: return {errc::bad_version, ""};
        case server_error::no_auth: return {errc::no_permission, ""};
        case server_error::no_children_for_ephemerals:
            return {errc::bad_path, "the parent is ephemeral and cannot have children"};
        case server_error::quota_exceeded:
            return {
                errc::quota_exceeded,
                "it exceeds a quota on this path or on a parent, or the server's memory is full"};
        case server_error::local_session: return {errc::local_session, ""};
        case server_error::invalid_acl:
            return {errc::bad_option,
                    "access_policy::creator_only needs credentials that the servers accept"};
        case server_error::bad_arguments:
            return {errc::bad_path, "the servers refuse this path, or its length"};
        case server_error::ok:
        case server_error::unimplemented:
        case server_error::not_read_only:
        case server_error::rolled_back:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::auth_failed:
        case server_error::throttled:
        case server_error::other: break;
    }
    return {};
}

}  // namespace

error refused_part(const multi_part& part, std::size_t index, server_error why) {
    auto refused = refusal_of(why);
    if (refused.code == errc::no_node && std::holds_alternative<create_op>(part))
        refused.rule = "the parent is missing; transaction::make creates it";
    const auto which = "part " + std::to_string(index) + " (" + describe(part) + ')';
    return error{refused.code, refused.of(which)}.of_part(index);
}

error refused_guard(const std::string& znode, server_error why) {
    const auto refused = refusal_of(why);
    return {refused.code, refused.of(znode) + "; nothing was written"};
}

namespace {

std::string escaped(const std::string& claim) {
    const auto quoted = base::printable(claim);
    return quoted.substr(1, quoted.find_last_of('"') - 1);
}

}  // namespace

std::string text_of_claims(const contender_metadata& claimed, bool with_thread) {
    std::string text;
    const auto add = [&text](const char* name, const std::string& value) {
        if (!value.empty()) text.append(text.empty() ? "" : ", ").append(name).append(value);
    };
    add("", escaped(claimed.host));
    add("pid ", claimed.pid);
    if (with_thread) add("thread ", claimed.thread);
    if (!claimed.label.empty()) add("label ", base::printable(claimed.label));
    add("since ", claimed.since);
    return text;
}

contender_ahead contender_ahead::of(const reply& answer, std::int64_t session) {
    const bool is_own = answer.stat.ephemeral_owner == session;
    return {text_of_claims(contender_metadata::parse(answer.data), is_own), is_own};
}

}  // namespace turnstile::core
