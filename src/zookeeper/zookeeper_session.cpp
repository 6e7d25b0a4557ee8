// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/zookeeper_session.hpp"

#include <utility>

namespace turnstile::zookeeper {

zookeeper_session::zookeeper_session(const ensemble_address& servers,
                                     const core::session_settings& settings,
                                     core::session_sink& sink,
                                     std::shared_ptr<ensemble_facts> known,
                                     std::shared_ptr<guardian::guardian_link> guardian)
    : known_{std::move(known)},
      client_{std::make_unique<c_session>(servers, settings, sink, known_, std::move(guardian))} {
    known_->older.add(client_.get(), [own = client_.get()] { own->give_up_to_older_data(); });
}

zookeeper_session::~zookeeper_session() {
    close();
    if (forked()) static_cast<void>(client_.release());  // its mutexes may stay locked
}

void zookeeper_session::submit(core::request&& request) {
    if (!forked()) client_->submit(std::move(request));
}

void zookeeper_session::forget_watches(const std::string& path) {
    if (!forked()) client_->forget_watches(path);
}

void zookeeper_session::seek_leader(std::uint64_t connection) {
    if (!forked()) client_->seek_leader(connection);
}

void zookeeper_session::look_for_another(const core::look_elsewhere& wanted) {
    if (!forked()) client_->look_for_another(wanted);
}

void zookeeper_session::leave_server(std::uint64_t connection) {
    if (!forked()) client_->leave_server(connection);
}

core::session_identity zookeeper_session::identity() const {
    return forked() ? core::session_identity{} : client_->identity();
}

std::optional<core::clock_reading> zookeeper_session::servers_clock() const {
    return forked() ? std::nullopt : client_->servers_clock();
}

void zookeeper_session::close() noexcept {
    if (forked() || closed_.exchange(true)) return;
    known_->older.remove(client_.get());
    client_->close();
}

}  // namespace turnstile::zookeeper
