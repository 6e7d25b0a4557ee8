// SPDX-License-Identifier: Apache-2.0
// The public functions of c_session, and the replies to requests.
#include "zookeeper/c_session.hpp"

#include <cerrno>
#include <utility>

#include "base/log.hpp"
#include "base/random.hpp"
#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {

c_session::c_session(ensemble_address servers, const core::session_settings& settings,
                     core::session_sink& sink, std::shared_ptr<ensemble_facts> known,
                     std::shared_ptr<guardian::guardian_link> guardian)
    : servers_{std::move(servers)},
      known_{std::move(known)},
      settings_{settings},
      guardian_{std::move(guardian)},
      outlet_{sink},
      knowledge_{known_->requests, settings.examine},
      handle_{servers_, settings_, known_},
      requests_{handle_, state_, knowledge_, *this, {on_event, this}} {
    leave_random_alone();
    if (known_->requests.ephemerals.is_refused() && servers_.security() == nullptr) {
        const auto hosts = handle_.hosts();
        if (guardian_.is_wanted())
            for (const auto& server : servers_.servers) guardian_.add(resolve(server));
        state_.enter({});
        // The lock makes callbacks wait until the handle and its credentials are set.
        const base::lock_guard turn{turn_};
        handle_.open(hosts, nullptr, {on_event, this});
        return;
    }
    auto chance = base::random::from_system();
    const auto addresses = shuffled_addresses(servers_, chance, known_->missing);
    if (addresses.empty()) handle_.throw_open_error(ENOENT);
    guardian_.add(addresses);
    if (!entrance_.post([this] { enter(); })) handle_.throw_open_error(EAGAIN);
}

void c_session::close() noexcept {
    {
        const base::lock_guard turn{turn_};
        outlet_.close();
    }
    {
        const base::lock_guard lock{mutex_};
        state_.close();
    }
    closing_.set();
    changed_.set();
    entrance_.stop();
    helper_.stop();
    if (handle_.get() == nullptr) return;
    bool is_shared = false;
    {
        const base::lock_guard lock{mutex_};
        is_shared = suspicion_.is_confirmed();
    }
    const auto is_idle = [this] {
        const base::lock_guard lock{mutex_};
        return requests_.is_idle();
    };
    if (is_shared) {
        handle_.disconnect();
    } else if (!is_idle()) {
        handle_.await_answers();
    }
    handle_.close(is_idle());
    guardian_.end(identity().id);
    const base::lock_guard lock{mutex_};
    requests_.clear();
}

core::session_identity c_session::identity() const {
    const base::lock_guard lock{mutex_};
    return state_.identity();
}

std::optional<core::clock_reading> c_session::servers_clock() const {
    const base::lock_guard lock{mutex_};
    return state_.clock();
}

void c_session::submit(core::request&& request) {
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_closed() || !requests_.submit(request)) return;
    }
    helper_.post([this] {
        const base::lock_guard turn{turn_};
        deliver_settled();
    });
}

void c_session::forget_watches(const std::string& path) {
    const base::lock_guard lock{mutex_};
    if (!state_.is_closed()) requests_.forget_watches(path);
}

void c_session::seek_leader(std::uint64_t connection) {
    helper_.post([this, connection] { seek(connection); });
}

void c_session::look_for_another(const core::look_elsewhere& wanted) {
    helper_.post([this, wanted] { look(wanted); });
}

void c_session::leave_server(std::uint64_t connection) {
    helper_.post([this, connection] { move(connection); });
}

void c_session::completed(outstanding_request& p, int rc) {
    handle_.await_sweep();
    const base::lock_guard turn{turn_};
    deliver_settled();  // the helper's thread also does this, but may be late
    if (take_reply(p, rc)) deliver_settled();
}

bool c_session::take_reply(outstanding_request& p, int rc) {
    base::unique_lock lock{mutex_};
    const auto word = requests_.apply(p, rc);
    if (!word) {
        outlet_.expect(p);
        return false;
    }
    core::coordinator_event event{std::in_place_type<core::reply>, std::move(p.answer)};
    auto& answer = std::get<core::reply>(event);
    answer.outcome = word->outcome;
    answer.error = word->error;
    const auto why = p.why;
    std::optional<server_answers> role;  // the server's role, if the answer shows it
    if (word->outcome == core::outcome::answered) role = p.told;
    if (role && why == outstanding_request::purpose::examination)
        role = knowledge_.examined(word->error, *role);
    requests_.apply_to_watches(p, rc);
    // The C client may have sent the request on a later connection than the connection on which the caller submitted
    // it. The answer names the connection that exists now.
    if (why == outstanding_request::purpose::user && word->outcome == core::outcome::answered)
        answer.connection = state_.connection();
    if (word->outcome == core::outcome::answered) known_->older.saw(answer.stat);
    const bool had_its_place = outlet_.complete(p, std::move(event));
    requests_.remove(p);
    const bool next_is_settled = requests_.has_settled();
    if (state_.is_to_move() && requests_.is_idle()) helper_.post([this] { move(std::nullopt); });
    lock.unlock();
    if (had_its_place) {
        outlet_.deliver_complete();
    } else if (why == outstanding_request::purpose::user) {
        outlet_.deliver(std::move(event));
    } else if (role) {
        role_witnessed(answer.connection, *role);
    } else if (why == outstanding_request::purpose::examination &&
               answer.error == core::server_error::unimplemented) {
        log::write(log_level::error,
                   "{} does not support multi: no hold can be confirmed, and no commit works",
                   to_string(servers_));
    }
    return next_is_settled;
}

void c_session::deliver_settled() {
    for (;;) {
        std::optional<core::reply> reply;
        {
            const base::lock_guard lock{mutex_};
            reply = requests_.take_settled();
        }
        if (!reply) return;
        outlet_.deliver(*std::move(reply));
    }
}

void c_session::role_witnessed(std::uint64_t connection, const server_answers& told) {
    core::link_event event;
    bool warn = false;
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_usable_on(connection)) return;
        event = state_.event(core::link_kind::role_known);
        event.role = told.role;
        event.pace = told.pace;
        event.foreign = knowledge_.is_foreign(told);
        warn = event.foreign && knowledge_.take_warning();
    }
    if (warn)
        log::write(
            log_level::warning,
            "{}: the server does not say that it is Apache ZooKeeper, and lacks some of "
            "ZooKeeper's requests. So the client can only assume how long its holds are certain",
            to_string(servers_));
    outlet_.deliver(std::move(event));
}

}  // namespace turnstile::zookeeper
