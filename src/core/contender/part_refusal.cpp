// SPDX-License-Identifier: Apache-2.0
#include "core/contender/part_refusal.hpp"

#include <string>
#include <variant>

namespace turnstile::core {

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

}  // namespace turnstile::core
