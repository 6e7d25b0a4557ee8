// SPDX-License-Identifier: Apache-2.0
#include "local/link.hpp"

#include <utility>

#include "local/znode_path.hpp"

namespace turnstile::local {
namespace {

using core::outcome;
using core::server_error;

core::reply unanswered(outcome how) {
    core::reply r;
    r.outcome = how;
    return r;
}

identities identities_of(const core::session_settings& settings) {
    if (settings.credentials.empty()) return {};
    return {settings.credentials};
}

}  // namespace

link::link(core::session_settings settings, core::session_sink& sink, chroot root, std::string name)
    : settings_{std::move(settings)},
      outlet_{sink},
      root_{std::move(root)},
      name_{std::move(name)} {}

void link::attach(tree& servers) {
    if (attached_ || dead_) return;
    if (id() == 0) {
        id_.store(servers.open_session(identities_of(settings_)));
        seen_zxid_ = servers.zxid();
    }
    attached_ = true;
    ++connection_;

    core::link_event event;
    event.kind = core::link_kind::attached;
    event.connection = connection_;
    event.session_id = id();
    event.timeout = settings_.timeout;
    event.role = server_role::standalone;
    event.server = name_;
    outlet_.deliver(core::link_event{event});
    if (settings_.detect_role) {
        event.kind = core::link_kind::role_known;
        outlet_.deliver(std::move(event));
    }
    for (const fired_watch& w : servers.restore_watches(id(), watches_.list(), seen_zxid_)) hear(w);
}

void link::detach(tree& servers) {
    if (!attached_) return;
    attached_ = false;
    traffic_ = traffic::flows;
    until_stall_.reset();
    servers.drop_watches(id());
    core::link_event event;
    event.kind = core::link_kind::detached;
    event.connection = connection_;
    event.session_id = id();
    outlet_.deliver(std::move(event));
    for (const open_request& open : std::exchange(unanswered_, {})) {
        reply(unanswered(outcome::unknown), open.id, open.sent);
    }
}

void link::expire() {
    if (dead_) return;
    dead_ = true;
    core::link_event event;
    event.kind = core::link_kind::expired;
    event.session_id = id();
    outlet_.deliver(std::move(event));
}

bool link::accept(core::request& request, core::time_point sent) {
    if (until_stall_ && (*until_stall_)-- == 0) {
        traffic_ = traffic::stalls_before_server;
        until_stall_.reset();
    }
    if (dead_) {
        reply(core::answered(server_error::session_expired), request.id, sent);
    } else if (!attached_) {
        reply(unanswered(outcome::not_sent), request.id, sent);
    } else if (!client_accepts(request.op)) {
        reply(core::answered(server_error::bad_arguments), request.id, sent);
    } else if (traffic_ == traffic::throttled) {
        reply(core::answered(server_error::throttled), request.id, sent);
    } else if (traffic_ == traffic::stalls_before_server) {
        unanswered_.push_back({request.id, sent});
    } else {
        root_.to_server(request.op);
        return true;
    }
    return false;
}

void link::answer(const core::request& request, core::time_point sent, core::reply&& answer,
                  std::int64_t zxid) {
    if (traffic_ == traffic::stalls_after_server) {
        unanswered_.push_back({request.id, sent});
        return;
    }
    seen_zxid_ = zxid;
    watches_.on_reply(request.op, answer.error);
    root_.to_client(answer);
    reply(std::move(answer), request.id, sent);
}

void link::hear(const fired_watch& event) {
    if (!attached_ || traffic_ != traffic::flows) return;
    if (!watches_.on_event(event.kind, event.path)) return;
    outlet_.deliver(core::watch_event{event.kind, root_.to_client(event.path), connection_});
}

void link::forget_watches(tree& servers, const std::string& path) {
    const std::string there = root_.to_server(path);
    watches_.forget_watches(there);
    if (attached_) servers.forget_watches(id(), there);
}

void link::reply(core::reply&& r, core::ticket id, core::time_point sent) {
    r.id = id;
    r.sent = sent;
    r.connection = connection_;
    outlet_.deliver(std::move(r));
}

}  // namespace turnstile::local
