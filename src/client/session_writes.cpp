// SPDX-License-Identifier: Apache-2.0
// Guarded writes, from a guard's call to the core and back.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "client/session_runner.hpp"

namespace turnstile::detail {

namespace {

core::create_mode mode_of(node kind) noexcept {
    switch (kind) {
        case node::persistent: return core::create_mode::persistent;
        case node::ephemeral: return core::create_mode::ephemeral;
        case node::persistent_sequential: return core::create_mode::persistent_sequential;
        case node::ephemeral_sequential: return core::create_mode::ephemeral_sequential;
    }
    return core::create_mode::persistent;
}

std::vector<core::multi_part> parts_of(const transaction& what, core::acl_policy acl) {
    std::vector<core::multi_part> made;
    for (const auto& part : what.parts()) {
        if (const auto* one = std::get_if<transaction::create_part>(&part)) {
            made.emplace_back(core::create_op{one->path, one->data, mode_of(one->kind), acl});
        } else if (const auto* two = std::get_if<transaction::set_part>(&part)) {
            made.emplace_back(core::set_op{two->path, two->data, two->version});
        } else if (const auto* three = std::get_if<transaction::remove_part>(&part)) {
            made.emplace_back(core::remove_op{three->path, three->version});
        } else {
            const auto& four = std::get<transaction::check_part>(part);
            made.emplace_back(core::check_op{four.path, four.version});
        }
    }
    return made;
}

// As in the transaction that would close the session; a number may be added to the path.
std::size_t ephemeral_bytes(const transaction::create_part& one) noexcept {
    constexpr std::size_t k_number_and_length_field = 14;
    const bool ephemeral = one.kind == node::ephemeral || one.kind == node::ephemeral_sequential;
    return ephemeral ? one.path.size() + k_number_and_length_field : 0;
}

error stopped() {
    return {errc::cancelled, "the commit's stop token was triggered"};
}

}  // namespace

// A caller that waits, or a handler that is called.
struct session_runner::writing {
    std::vector<std::string> asked;   // for each part the path that it creates, else empty
    std::size_t ephemeral_bytes = 0;  // of the paths of ephemeral znodes among them
    std::function<void(result<commit_result>)> handler;  // empty: the caller waits
    std::optional<std::stop_callback<std::function<void()>>> stop;
    std::optional<result<commit_result>> outcome;  // under the session's lock
    base::condition arrived;

    [[nodiscard]] result<commit_result> told(core::commit_outcome&& what) const {
        if (auto* why = std::get_if<error>(&what)) return std::move(*why);
        auto& done = std::get<core::committed>(what);
        commit_result made;
        made.names_known = done.paths.has_value();
        made.created = done.paths ? std::move(*done.paths) : asked;
        return made;
    }
};

core::acquisition_id session_runner::start_commit(core::acquisition_id hold,
                                                  const transaction& what,
                                                  const commit_options& options,
                                                  const std::shared_ptr<writing>& caller) {
    for (const auto& part : what.parts()) {
        const auto* one = std::get_if<transaction::create_part>(&part);
        caller->asked.push_back(one == nullptr ? std::string{} : one->path);
        const auto bytes = one == nullptr ? 0 : ephemeral_bytes(*one);
        if (bytes != 0) caller->ephemeral_bytes += bytes + chroot_;
    }
    const auto id = next_id();
    const auto given = options.timeout.deadline();
    if (options.stop.stop_possible()) {
        // May call back at once, in this thread: under no lock.
        caller->stop.emplace(options.stop, [weak = weak_from_this(), id] {
            if (const auto self = weak.lock()) self->cancel(id, stopped());
        });
    }
    hand_over({id, hold, parts_of(what, acl_), given}, caller, caller->ephemeral_bytes);
    if (options.stop.stop_requested()) cancel(id, stopped());  // before the core knew of it
    return id;
}

result<commit_result> session_runner::commit(core::acquisition_id hold, const transaction& what,
                                             const commit_options& options) {
    const auto mine = std::make_shared<writing>();
    const auto id = start_commit(hold, what, options, mine);
    base::scoped_lock lock{mutex_};
    try {
        while (!mine->outcome) mine->arrived.wait(lock);
    } catch (const boost::thread_interrupted&) {
        lock.unlock();
        cancel(id, {errc::interrupted, "the committing thread was interrupted"});
        lock.lock();
    }
    auto outcome = std::move(*mine->outcome);
    lock.unlock();
    mine->stop.reset();  // waits for a call that is under way
    return outcome;
}

void session_runner::async_commit(core::acquisition_id hold, const transaction& what,
                                  const commit_options& options,
                                  std::function<void(result<commit_result>)> handler) {
    const auto mine = std::make_shared<writing>();
    mine->handler = std::move(handler);
    start_commit(hold, what, options, mine);
    services_->callbacks->pump();
}

void session_runner::execute(core::commit_answer& what) {
    const auto found = writings_.extract(what.who);
    if (!found) return;
    const auto& caller = found.mapped();
    caller->outcome = caller->told(std::move(what.what));
    const auto& told = *caller->outcome;
    if (!told && told.error() != errc::outcome_unknown)
        written_ephemerals() -= std::min(written_ephemerals(), caller->ephemeral_bytes);
    if (!caller->handler) return caller->arrived.notify_all();
    services_->callbacks->post([caller] {
        caller->stop.reset();
        caller->handler(std::move(*caller->outcome));
    });
}

}  // namespace turnstile::detail
