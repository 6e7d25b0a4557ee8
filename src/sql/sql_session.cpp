// SPDX-License-Identifier: Apache-2.0
#include "sql/sql_session.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"

namespace turnstile::sql {

sql_session::sql_session(session_parts parts, const core::session_settings& settings,
                         core::session_sink& sink)
    : worker_{std::make_unique<worker>(std::move(parts), settings, sink)} {
    const support::block_signals none_here;
    thread_ = std::make_unique<std::thread>([this] {
        base::name_this_thread("turnstile-sql");
        base::finish_or_end("a session with a database", [this] { worker_->run(); });
    });
}

sql_session::~sql_session() {
    end(true);
    if (!forked()) return;
    static_cast<void>(thread_.release());  // the thread belongs to the parent process
    static_cast<void>(
        worker_.release());  // its mutexes may stay locked, and its connection is the parent's
}

void sql_session::submit(core::request&& request) {
    if (!forked()) worker_->submit(std::move(request), false);
}

void sql_session::submit_with_next(core::request&& request) {
    if (!forked()) worker_->submit(std::move(request), true);
}

void sql_session::forget_watches(const std::string& path) {
    if (!forked()) worker_->forget_watches(path);
}

core::session_identity sql_session::identity() const {
    return forked() ? core::session_identity{} : core::session_identity{worker_->id(), {}};
}

std::optional<core::clock_reading> sql_session::servers_clock() const {
    return forked() ? std::nullopt : worker_->servers_clock();
}

void sql_session::end(bool orderly) noexcept {
    if (forked() || ended_.exchange(true)) return;
    worker_->stop(orderly);
    thread_->join();
}

}  // namespace turnstile::sql
