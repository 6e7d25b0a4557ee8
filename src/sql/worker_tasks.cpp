// SPDX-License-Identifier: Apache-2.0
// worker: requests and looks of a session that is attached.
#include <algorithm>
#include <string_view>
#include <utility>

#include "local/client_checks.hpp"
#include "sql/worker.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

// A process that has closed its file holds the lock on it for a moment more.
constexpr int k_looks = 7;

// What the database puts behind the name of a sequential node.
constexpr std::size_t k_longest_number = std::string_view{"-2147483648"}.size();

bool too_long(const core::operation& op, std::size_t most) noexcept {
    const auto longer = [most](const auto& part) {
        std::size_t size = part.path.size();
        if constexpr (requires { part.mode; })
            if (core::is_sequential(part.mode)) size += k_longest_number;
        return size > most;
    };
    if (const auto* multi = std::get_if<core::multi_op>(&op))
        return std::any_of(multi->parts.begin(), multi->parts.end(),
                           [&](const auto& part) { return std::visit(longer, part); });
    return std::visit(
        [&](const auto& request) {
            if constexpr (requires { request.path; }) {
                return longer(request);
            } else {
                return false;
            }
        },
        op);
}

}  // namespace

// ---- requests -----------------------------------------------------------------------------------

void session::worker::execute(asked&& question) {
    if (!local::client_accepts(question.request.op)) {
        return reply(core::answered(server_error::bad_arguments), question);
    }
    root_.to_server(question.request.op);
    if (too_long(question.request.op, db_->longest_path())) {
        return reply(
            core::answered(core::is_write(question.request.op) ? server_error::bad_arguments
                                                               : server_error::no_node),
            question);
    }
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
    deliver(done.events);
    book_.on_reply(answered.request.op, done.reply.error);
    if (done.next_end) set_next_end(done.next_end);
    if (core::is_write(answered.request.op) && !done.expired) touched_ = answered.sent;
    root_.to_client(done.reply);
    reply(std::move(done.reply), answered);
    if (done.expired) expire();
}

// A node whose row a transaction of the user's own holds is not removed before that has ended; the session is kept
// alive meanwhile.
carried_out session::worker::apply_when_free(const core::operation& op,
                                             const core::children_op* list) {
    base::back_off looks = looks_for_a_row();
    for (;;) {
        try {
            return store_.apply(op, list);
        } catch (const database_error& e) {
            if (e.kind() != failure::row_held) throw;
        }
        static_cast<void>(db_->wait(closing_->closing.fd(), clock::now() + looks.draw(chance_)));
        if (stopping()) throw database_error{failure::lost, "the session is being closed"};
        if (clock::now() >= touched_ + settings_.timeout / 3) hear(store::touch::yes);
        if (dead_) throw database_error{failure::lost, "the session is over"};
    }
}

void session::worker::execute(forgotten&& question) {
    given_back_.push_back(std::move(question));
    give_back_watches();
}

// ---- looks --------------------------------------------------------------------------------------

session::worker::clock::time_point session::worker::next_look() const {
    clock::time_point next = touched_ + settings_.timeout / 3;
    if (book_.list().empty()) return next;
    if (next_end_) next = std::min(next, std::max(*next_end_, looked_ + held_pause_));
    if (looks_ > 0) next = std::min(next, looked_ + k_first_look * (1 << (k_looks - looks_)));
    return next;
}

void session::worker::look() {
    if (clock::now() >= touched_ + settings_.timeout / 3) {
        hear(store::touch::yes);
        if (dead_) return;
        store_.clean_containers(clean_every_);
    }
    const bool due = next_end_ && clock::now() >= *next_end_;
    if (book_.list().empty() || (!due && looks_ == 0)) return;
    if (looks_ > 0) --looks_;
    end_others();
    hear(store::touch::no);
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
