// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "verification/search/client.hpp"
#include "verification/search/digest.hpp"

// A hash that equal clients share. It takes what is cheap to see and tells most clients apart; the
// interner compares the rest.
namespace turnstile::search {

namespace {

void add(digest& sum, const core::reply& what) {
    sum.add(static_cast<std::uint64_t>(what.id));
    sum.add(what.what);
    sum.add(what.error);
    sum.add(what.connection);
    sum.add(what.sent);
    sum.add(what.path);
    sum.add(what.stat.czxid);
    sum.add(what.stat.ephemeral_owner);
    for (const auto& child : what.children) sum.add(child);
}

void add(digest& sum, const asked& what) {
    sum.add(static_cast<std::uint64_t>(what.id));
    sum.add(what.op.index());
    sum.add(what.sent);
    sum.add(what.watch_forgotten);
}

struct add_to_server {
    digest& sum;
    void operator()(const asked& what) const { add(sum, what); }
    void operator()(const forget_watch& what) const { sum.add(what.path); }
    void operator()(const local::client_watch_list& what) const {
        for (const auto* paths : {&what.data, &what.exists, &what.children}) {
            for (const auto& path : *paths) sum.add(path);
        }
    }
};

struct add_to_client {
    digest& sum;
    void operator()(const answer_on_wire& what) const {
        add(sum, what.reply);
        sum.add(what.what.watch_forgotten);
    }
    void operator()(const core::watch_event& what) const {
        sum.add(what.kind);
        sum.add(what.path);
        sum.add(what.connection);
    }
    void operator()(const core::reply& what) const { add(sum, what); }
    void operator()(const core::link_event& what) const {
        sum.add(what.kind);
        sum.add(what.connection);
        sum.add(what.session_id);
    }
};

std::uint64_t hash_of(const core::session_core& what) {
    digest sum;
    sum.add(what.state());
    sum.add(what.epoch());
    sum.add(what.session_id());
    sum.add(what.owned_bytes());
    sum.add(what.watched_paths());
    sum.add(what.session_lease().valid_until());
    sum.add(what.next_deadline().value_or(core::time_point::min()));
    // What it would do after a reconnect tells the places of its acquisitions.
    auto copy = what;
    copy.on(core::from_session{what.epoch(), core::link_event{core::link_kind::detached}},
            core::time_point{});
    core::link_event attached{core::link_kind::attached};
    attached.session_id = what.session_id();
    attached.connection = UINT32_MAX;
    attached.timeout = what.session_lease().timeout();
    copy.on(core::from_session{what.epoch(), attached}, core::time_point{});
    for (const auto& action : copy.take()) {
        const auto* request = std::get_if<core::submit>(&action);
        sum.add(action.index());
        if (request == nullptr) continue;
        sum.add(static_cast<std::uint64_t>(request->what.id));
        sum.add(request->what.op.index());
        if (const auto* get = std::get_if<core::get_op>(&request->what.op)) sum.add(get->path);
        if (const auto* create = std::get_if<core::create_op>(&request->what.op))
            sum.add(create->path);
    }
    return sum.value();
}

}  // namespace

shared_core::shared_core(core::session_core&& value)
    : value_{std::make_shared<const core::session_core>(std::move(value))},
      hash_{hash_of(*value_)} {}

std::uint64_t client::hash() const {
    digest sum;
    sum.add(now_);
    sum.add(touched_);
    sum.add(at_);
    sum.add(rounds_left_);
    sum.add(crashed_);
    sum.add(granted_);
    sum.add(link_);
    sum.add(connection_);
    sum.add(session_);
    for (const auto& one : up_) std::visit(add_to_server{sum}, one);
    sum.add(inbox_.size());
    for (const auto& one : inbox_) std::visit(add_to_client{sum}, one);
    sum.add(late_.size());
    for (const auto one : given_up_sessions_) sum.add(one);
    add_to_server{sum}(watches_.list());
    sum.add(held_back_.size());
    sum.add(core_.hash());
    return sum.value();
}

}  // namespace turnstile::search
