// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/session.hpp"

#include <utility>

#include "base/process.hpp"

namespace turnstile::zookeeper {

session::session(const connect_string& servers, const core::session_settings& settings,
                 core::session_sink& sink, std::shared_ptr<known_servers> known,
                 std::shared_ptr<guardian::link> guardian)
    : generation_{base::process_generation()},
      known_{std::move(known)},
      client_{std::make_unique<c_session>(servers, settings, sink, known_, std::move(guardian))} {
    known_->older.add(client_.get(), [own = client_.get()] { own->give_up_to_older_data(); });
}

session::~session() {
    close();
    if (forked()) static_cast<void>(client_.release());  // its mutexes may stay locked
}

bool session::forked() const noexcept {
    return base::process_generation() != generation_;
}

void session::submit(core::request&& request) {
    if (!forked()) client_->submit(std::move(request));
}

void session::forget_watches(const std::string& path) {
    if (!forked()) client_->forget_watches(path);
}

void session::seek_leader(std::uint64_t connection) {
    if (!forked()) client_->seek_leader(connection);
}

void session::look_for_another(const core::look_elsewhere& wanted) {
    if (!forked()) client_->look_for_another(wanted);
}

void session::leave_server(std::uint64_t connection) {
    if (!forked()) client_->leave_server(connection);
}

core::session_identity session::identity() const {
    return forked() ? core::session_identity{} : client_->identity();
}

std::optional<core::clock_reading> session::servers_clock() const {
    return forked() ? std::nullopt : client_->servers_clock();
}

void session::close() noexcept {
    if (forked() || closed_.exchange(true)) return;
    known_->older.remove(client_.get());
    client_->close();
}

}  // namespace turnstile::zookeeper
