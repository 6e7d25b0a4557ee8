// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulation/describe.hpp"
#include "verification/search/model.hpp"

namespace turnstile::search {

namespace {

std::string tell(const core::operation& op) {
    return simulation::describe(op);
}
std::string tell(const to_server& server) {
    if (const auto* request = std::get_if<sent_request>(&server)) return tell(request->op);
    if (const auto* forget = std::get_if<forget_watch>(&server))
        return "forget the watch on " + forget->path;
    return "set the watches again";
}
std::string tell(const to_client& client) {
    core::coordinator_event event;
    if (const auto* answer = std::get_if<answer_on_wire>(&client)) {
        event = answer->reply;
    } else if (const auto* watch = std::get_if<core::watch_event>(&client)) {
        event = *watch;
    } else if (const auto* reply = std::get_if<core::reply>(&client)) {
        event = *reply;
    } else {
        event = std::get<core::link_event>(client);
    }
    return simulation::describe(event);
}

const char* text_of_stage(stage phase) {
    switch (phase) {
        case stage::resting: return "rests";
        case stage::waiting: return "waits";
        case stage::holding: return "holds the lock";
        case stage::leaving: return "leaves";
        case stage::done: return "is done";
    }
    return "";
}

std::string tell(const client& before, const step& step) {
    const auto name = fmt::format("client {}", step.subject);
    switch (step.kind) {
        case act::acquire: return name + " wants the lock";
        case act::release: return name + " releases the lock";
        case act::serve:
        case act::serve_backwards:
            return "the servers take from " + name + ": " + tell(before.to_servers().front()) +
                   (step.kind == act::serve_backwards ? ", and tell it backwards" : "");
        case act::deliver: return name + " hears: " + tell(before.inbox().front());
        case act::attach: return name + " connects";
        case act::timer:
        case act::early_timer: return name + " runs its timer";
        case act::closes: return "the servers close the session that " + name + " has given up";
        case act::reap: return "the servers expire the session of " + name + ", which crashed";
        case act::pass: return "time passes: all timers run";
        case act::late:
            return "the servers carry out late, of a broken connection of " + name + ": " +
                   tell(before.late().front());
        case act::expire: return "the servers expire the session of " + name;
        case act::cut: return "FAULT: the connection of " + name + " breaks";
        case act::silence: return "FAULT: " + name + " hears nothing for a session timeout";
        case act::crash: return "FAULT: " + name + " crashes";
        case act::cancel: return "FAULT: " + name + " gives up the wait";
        case act::remove_by_hand: break;
    }
    return {};
}

}  // namespace

const char* name_of(act kind) noexcept {
    switch (kind) {
        case act::acquire: return "acquire";
        case act::release: return "release";
        case act::serve: return "serve";
        case act::serve_backwards: return "serve backwards";
        case act::deliver: return "deliver";
        case act::attach: return "attach";
        case act::timer: return "timer";
        case act::closes: return "close";
        case act::reap: return "reap";
        case act::pass: return "pass";
        case act::late: return "late write";
        case act::expire: return "expire";
        case act::early_timer: return "early timer";
        case act::cut: return "cut";
        case act::silence: return "silence";
        case act::crash: return "crash";
        case act::cancel: return "cancel";
        case act::remove_by_hand: return "remove by hand";
    }
    return "";
}

std::string model::describe(const position& before, const transition& taken) const {
    if (taken.move.kind == act::remove_by_hand)
        return "FAULT: another client deletes " + text_of(contender_number{taken.move.subject});
    auto text = tell(client_at(before, taken.move.subject), taken.move);
    for (unsigned client = 0; client != limits_.clients; ++client) {
        const auto now = face_of(taken.to, client).at;
        if (now == face_of(before, client).at) continue;
        text += fmt::format("; client {} {}", client, text_of_stage(now));
        if (now == stage::holding) text += " by " + text_of(face_of(taken.to, client).granted);
    }
    return text;
}

}  // namespace turnstile::search
