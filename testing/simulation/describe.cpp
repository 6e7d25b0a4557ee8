// SPDX-License-Identifier: Apache-2.0
#include "simulation/describe.hpp"

#include <fmt/core.h>
#include <array>

namespace turnstile::simulation {

namespace {

template <class... F>
struct cases : F... {
    using F::operator()...;
};
template <class... F>
cases(F...) -> cases<F...>;

const char* watched(core::watch_mode mode) {
    return mode == core::watch_mode::watch ? " with a watch" : "";
}

std::string describe(const core::multi_op& multi) {
    std::string text = "multi";
    for (const auto& part : multi.parts) {
        if (const auto* check = std::get_if<core::check_op>(&part)) text += " check " + check->path;
        if (const auto* gone = std::get_if<core::remove_op>(&part)) text += " remove " + gone->path;
    }
    return text;
}

std::string describe(const core::link_event& event) {
    switch (event.kind) {
        case core::link_kind::attached:
            return fmt::format("attached by connection {} to session {} at {}", event.connection,
                               event.session_id, event.server);
        case core::link_kind::attached_read_only: return "attached read-only";
        case core::link_kind::detached: return fmt::format("detached from {}", event.connection);
        case core::link_kind::role_known:
            return fmt::format("connection {}: the role is {}", event.connection,
                               static_cast<int>(event.role));
        case core::link_kind::leader_not_found:
            return fmt::format("connection {}: no leader was found", event.connection);
        case core::link_kind::found_elsewhere:
            return fmt::format("connection {}: a server answers elsewhere", event.connection);
        case core::link_kind::expired: return "expired";
        case core::link_kind::auth_failed: return "authentication failed";
    }
    return {};
}

}  // namespace

std::string describe(const core::operation& operation) {
    return std::visit(
        cases{[](const core::create_op& o) { return "create " + o.path + " \"" + o.data + '"'; },
              [](const core::remove_op& o) { return "remove " + o.path; },
              [](const core::set_op& o) { return "set " + o.path; },
              [](const core::get_op& o) { return "get " + o.path + watched(o.watch); },
              [](const core::exists_op& o) { return "exists " + o.path + watched(o.watch); },
              [](const core::children_op& o) { return "children " + o.path + watched(o.watch); },
              [](const core::multi_op& o) { return describe(o); }},
        operation);
}

std::string describe(const core::reply& reply) {
    auto text = fmt::format("reply to {}: ", static_cast<std::uint64_t>(reply.id));
    if (reply.outcome != core::outcome::answered)
        return text + (reply.outcome == core::outcome::unknown ? "unknown" : "not sent");
    text += reply.error == core::server_error::ok
                ? "ok"
                : fmt::format("error {}", static_cast<int>(reply.error));
    if (!reply.path.empty()) text += ' ' + reply.path;
    for (const auto& child : reply.children) text += ' ' + child;
    return text;
}

std::string describe(const core::coordinator_event& event) {
    if (const auto* answer = std::get_if<core::reply>(&event)) return describe(*answer);
    if (const auto* watch = std::get_if<core::watch_event>(&event))
        return fmt::format("watch {} {}", static_cast<int>(watch->kind), watch->path);
    return describe(std::get<core::link_event>(event));
}

std::string describe(const core::notice& notice) {
    return fmt::format("contender {}: {}", static_cast<std::uint64_t>(notice.id),
                       core::notice_text(notice));
}

std::string describe(const fault_due& event) {
    static constexpr std::array<const char*, k_faults> k_names{
        "the leader or one of its links stands still",
        "a follower is cut off from the leader",
        "the leader loses its followers",
        "a server restarts",
        "a client is cut off from all servers",
        "a client is paused",
        "a client crashes",
        "a client closes",
        "a contender's znode is deleted by hand",
        "a contender's znode is changed by hand",
        "a session is closed by hand",
        "empty containers are reaped",
        "a contender is taken away",
        "a semaphore gets another number of permits",
        "a contender is asked to go",
        "all who wait in a client give up",
        "many contenders' znodes are deleted by hand",
        "the servers take no further connection of a client",
        "a client's machine is stopped, and its clock with it",
        "the servers throttle a client",
        "a quota is used up",
        "the ensemble restarts, and without the sessions that it had",
        "the server's clock is set",
        "the server's clock runs at another rate",
        "the server takes no writes for a while",
        "a folder is deleted and made again, or gets znodes by hand"};
    std::string text = k_names[static_cast<std::size_t>(event.kind)];
    if (event.victim) text += fmt::format(" ({})", *event.victim);
    return text;
}

}  // namespace turnstile::simulation
