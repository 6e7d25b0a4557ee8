// SPDX-License-Identifier: Apache-2.0
// worker: requests and looks of a session that is attached.
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "local/client_checks.hpp"
#include "sql/worker.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

// A process that has closed its file holds the lock on it for a moment more.
constexpr int k_looks = 7;

// For a row that a transaction of the user's own holds a request waits so much of the session time-out.
constexpr int k_patience_part = 20;

// What the database puts behind the name of a sequential node.
constexpr std::size_t k_longest_number = std::string_view{"-2147483648"}.size();

// What is answered where a path is longer than the database takes; nothing: none is. The parts of a multi that failed are
// named as store::write_parts does it.
std::optional<core::reply> refusal_of_long_paths(const core::operation& op, std::size_t most) {
    const auto is_longer = [most](const auto& part) {
        std::size_t size = part.path.size();
        if constexpr (requires { part.mode; })
            if (core::is_sequential(part.mode)) size += k_longest_number;
        return size > most;
    };
    if (const auto* multi = std::get_if<core::multi_op>(&op)) {
        const auto& parts = multi->parts;
        const auto failed = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
            return std::visit(is_longer, part);
        });
        if (failed == parts.end()) return std::nullopt;
        auto refused = core::answered(server_error::bad_arguments);
        refused.parts.resize(static_cast<std::size_t>(failed - parts.begin()), server_error::ok);
        refused.parts.push_back(server_error::bad_arguments);
        refused.parts.resize(parts.size(), server_error::rolled_back);
        return refused;
    }
    const bool refused = std::visit(
        [&](const auto& request) {
            if constexpr (requires { request.path; }) {
                return is_longer(request);
            } else {
                return false;
            }
        },
        op);
    if (!refused) return std::nullopt;
    return core::answered(core::is_write(op) ? server_error::bad_arguments : server_error::no_node);
}

}  // namespace

// ---- requests -----------------------------------------------------------------------------------

void session::worker::execute(asked&& question) {
    if (!local::client_accepts(question.request.op)) {
        return reply(core::answered(server_error::bad_arguments), question);
    }
    root_.to_server(question.request.op);
    if (auto refused = refusal_of_long_paths(question.request.op, db_->longest_path()))
        return reply(std::move(*refused), question);
    under_way_ = std::move(question);
    listing_ = take_list_behind(*under_way_);
    if (listing_) root_.to_server(listing_->request.op);
    const auto* const list =
        listing_ ? &std::get<core::children_op>(listing_->request.op) : nullptr;
    carried_out done = apply_when_free(under_way_->request.op, list);
    std::optional<core::reply> listed = std::move(done.list);
    finish(std::exchange(under_way_, std::nullopt).value(), std::move(done));
    if (!listing_) return;
    // By itself if it did not come along.
    if (!listed && !dead_) {
        under_way_ = std::exchange(listing_, std::nullopt);
        done = apply_when_free(under_way_->request.op, nullptr);
        return finish(std::exchange(under_way_, std::nullopt).value(), std::move(done));
    }
    if (!listed) listed = core::answered(server_error::session_expired);
    root_.to_client(*listed);
    reply(std::move(*listed), std::exchange(listing_, std::nullopt).value());
}

void session::worker::finish(const asked& answered, carried_out&& done) {
    forget_failures();
    deliver(done.events);
    book_.on_reply(answered.request.op, done.reply.error);
    if (done.next_end) set_next_end(done.next_end);
    const bool carried = !done.expired && done.reply.error != server_error::throttled;
    if (carried && core::is_write(answered.request.op)) touched_ = answered.sent;
    root_.to_client(done.reply);
    reply(std::move(done.reply), answered);
    if (done.expired) expire();
}

// A node whose row a transaction of the user's own holds is not removed before that has ended. It is waited for, but no
// longer than other requests of the session may wait, whose holds live by them: then this one is thrown away, and the
// core sends it again behind those.
carried_out session::worker::apply_when_free(const core::operation& op,
                                             const core::children_op* list) {
    base::back_off looks = looks_for_a_row();
    const auto until = clock::now() + settings_.timeout / k_patience_part;
    for (;;) {
        try {
            return store_.apply(op, list);
        } catch (const database_error& e) {
            if (e.kind() != failure::row_held) throw;
        }
        if (clock::now() >= until) {
            carried_out none;
            none.reply = core::answered(server_error::throttled);
            return none;
        }
        static_cast<void>(
            db_->wait(closing_->closing.fd(), std::min(until, clock::now() + looks.draw(chance_))));
        if (stopping()) throw database_error{failure::lost, "the session is being closed"};
    }
}

void session::worker::execute(forgotten&& question) {
    given_back_.push_back(std::move(question));
    give_back_watches();
}

// ---- looks --------------------------------------------------------------------------------------

session::worker::clock::time_point session::worker::next_look() const {
    clock::time_point next = std::min(touched_ + settings_.timeout / 3, clean_at_);
    if (book_.list().empty()) return next;
    if (next_end_) next = std::min(next, std::max(*next_end_, looked_ + held_pause_));
    if (looks_ > 0) next = std::min(next, looked_ + k_first_look * (1 << (k_looks - looks_)));
    return next;
}

void session::worker::look() {
    if (clock::now() >= touched_ + settings_.timeout / 3) {
        hear(store::touch::yes);
        if (dead_) return;
    }
    if (clock::now() >= clean_at_) clean();
    if (dead_) return;
    const bool due = next_end_ && clock::now() >= *next_end_;
    if (book_.list().empty() || (!due && looks_ == 0)) return;
    if (looks_ > 0) --looks_;
    end_others();
    hear(store::touch::no);
}

// A session that writes all the time is never touched, and cleans up all the same.
void session::worker::clean() {
    clean_at_ = clock::now() + clean_every_;
    if (!store_.has_turn_to_clean(clean_every_)) return;
    store_.clean_containers();
    if (!repair()) return;
    end_others();
    hear(store::touch::no);
}

// True: sessions will be due that were not known.
bool session::worker::repair() {
    const repaired found = store_.repair();
    if (found.sessions > 0)
        log::write(
            log_level::warning,
            "session {:#x}: the rows of {} sessions were deleted from turnstile_sessions, and "
            "their nodes were not; they end in {} ms",
            store_.id(), found.sessions,
            std::chrono::duration_cast<std::chrono::milliseconds>(settings_.timeout).count());
    if (found.root)
        log::write(log_level::warning,
                   "session {:#x}: the root was deleted from turnstile_nodes, and is made again",
                   store_.id());
    return found.sessions > 0;
}

// A session that could not be ended is due still: the next look comes soon, and then ever later.
void session::worker::end_others() {
    if (store_.end_others()) held_looks_.reset();
    held_pause_ = held_looks_.draw(chance_);
    looked_ = clock::now();
}

void session::worker::hear(store::touch how) {
    const clock::time_point before = clock::now();
    const heard news = store_.hear(how);
    if (how == store::touch::yes) forget_failures();
    if (how == store::touch::yes) touched_ = before;
    set_next_end(news.next_end);
    deliver(news.events);
    if (news.expired) expire();
}

void session::worker::set_next_end(const std::optional<std::chrono::microseconds>& left) {
    next_end_.reset();
    if (left) next_end_ = clock::now() + *left;
}

void session::worker::await_something() {
    switch (db_->wait(changed_.fd(), next_look())) {
        case database::woken::by_time:
        case database::woken::by_caller: return;
        // A process that has died may have committed what it did not ring for any more.
        case database::woken::by_departure:
            looks_ = k_looks;
            looked_ = {};
            return hear(store::touch::no);
        case database::woken::by_bell: return hear(store::touch::no);
    }
}

}  // namespace turnstile::sql
