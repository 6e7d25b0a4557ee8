// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/c_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/random.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/answers.hpp"
#include "zookeeper/client_log.hpp"
#include "zookeeper/limits.hpp"

namespace turnstile::zookeeper {
namespace {

int to_client_timeout(core::duration timeout) noexcept {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
    // 0 would select the C client's own default, and the C client doubles the value in an int.
    return static_cast<int>(std::clamp<std::int64_t>(ms, 1, std::numeric_limits<int>::max() / 2));
}

// Called when zookeeper_init has resolved no name, or when the system lacks a resource.
[[noreturn]] void throw_init_error(const connect_string& servers, const unresolved_hosts& missing,
                                   int failure) {
    if (failure == ENOMEM || failure == EMFILE || failure == ENFILE || failure == EAGAIN) {
        throw std::system_error{failure, std::generic_category(), "zookeeper_init"};
    }
    // The C client translates the resolver's answer into misleading error numbers: ENOENT, EINVAL.
    const auto why = missing.reason();
    throw_error(
        {errc::unresolvable, fmt::format("{}{}{}", hosts_of(servers, address_form::for_people),
                                         why.empty() ? "" : ": ", why)});
}

}  // namespace

c_session::c_session(connect_string servers, const core::session_settings& settings,
                     core::session_sink& sink, std::shared_ptr<known_servers> known,
                     std::shared_ptr<guardian::link> guardian)
    : servers_{std::move(servers)},
      known_{std::move(known)},
      settings_{settings},
      sink_{sink},
      guardian_{std::move(guardian)} {
    auto chance = base::random::from_system();
    leave_random_alone();
    if (known_->requests.ephemerals.is_refused() && servers_.security() == nullptr) {
        const auto hosts = shuffled_servers(servers_, chance, known_->missing);
        if (guardian_)
            for (const auto& server : servers_.servers) note_addresses(resolve(server));
        // The lock makes callbacks wait until the handle and its credentials are set.
        const base::lock_guard turn{turn_};
        open_handle(hosts, nullptr);
        return;
    }
    note_addresses(shuffled_addresses(servers_, chance, known_->missing));
    if (addresses_.empty()) throw_init_error(servers_, known_->missing, ENOENT);
    if (!entrance_.post([this] { enter(); })) throw_init_error(servers_, known_->missing, EAGAIN);
}

void c_session::note_addresses(const std::vector<socket_address>& found) {
    for (const auto& address : found)
        addresses_.push_back({address.storage, address.length, address.host});
}

void c_session::open_handle(const server_list& hosts, const clientid_t* own) {
    // Nothing below may throw: the threads of the handle already call this object.
    const auto by_name =
        hosts.by_address ? hosts_of(servers_, address_form::for_c_client) : std::string{};
    const auto with_chroot = hosts.text + (settings_.whole_tree ? "" : servers_.chroot);
    const int flags = ZOO_NO_LOG_CLIENTENV | (settings_.allow_read_only ? ZOO_READONLY : 0);
    const support::block_signals blocked;  // the C client's threads inherit the mask and the name
    const base::name_started_threads named{"turnstile-zk"};
    errno = 0;
    handle_ = ::zookeeper_init2(with_chroot.c_str(), on_event, to_client_timeout(settings_.timeout),
                                own, this, flags, on_client_line);
    if (handle_ == nullptr) throw_init_error(servers_, known_->missing, errno);
    // Without this call, the I/O thread would resolve all names at each poll. With -1 it resolves them only at an
    // attempt to connect.
    zoo_set_servers_resolution_delay(handle_, -1);
    // From now on the C client resolves the names, and keeps the list of addresses, which its I/O thread reads without
    // a lock.
    if (hosts.by_address) zoo_set_servers(handle_, by_name.c_str());
    if (!settings_.credentials.empty()) add_credentials();
}

void c_session::add_credentials() {
    // Passes no completion, because it would run on the I/O thread. A session event reports a refusal, in the order of
    // events.
    const int rc = zoo_add_auth(handle_, "digest", settings_.credentials.data(),
                                static_cast<int>(settings_.credentials.size()), nullptr, nullptr);
    if (rc != ZOK) log::write(log_level::error, "zoo_add_auth: {}", zerror(rc));
}

void c_session::close() noexcept {
    {
        const base::lock_guard turn{turn_};
        silent_ = true;
    }
    {
        const base::lock_guard lock{mutex_};
        closed_ = true;
    }
    closing_.set();
    changed_.set();
    entrance_.stop();
    helper_.stop();
    if (handle_ == nullptr) return;
    leave_shared();
    start_sweep();
    // The C client's threads may call this object until zookeeper_close() returns.
    zookeeper_close(handle_);
    if (tunnel_) tunnel_->stop();
    tell_guardian_of_end();
    const base::lock_guard lock{mutex_};
    pending_.clear();
}

core::session_identity c_session::identity() const {
    const base::lock_guard lock{mutex_};
    return identity_;
}

std::optional<core::clock_reading> c_session::servers_clock() const {
    const base::lock_guard lock{mutex_};
    return clock_;
}

bool c_session::usable() const noexcept {
    return phase_ == phase::attached && !closed_;
}

void c_session::submit(core::request&& request) {
    bool at_once = false;
    {
        const base::lock_guard lock{mutex_};
        if (closed_) return;
        pending_request& p = pending_.add();
        p.owner = this;
        p.answer.id = request.id;
        p.answer.connection = connection_;
        if (const auto* path = watch_of(request.op)) {
            p.sets_watch = true;
            p.path = *path;
        }
        const auto* const create = std::get_if<core::create_op>(&request.op);
        const bool unknown = create != nullptr && !prepare_create(p, *create);
        p.answer.sent = boottime_clock::now();
        int rc = ZINVALIDSTATE;
        if (usable())
            rc = unknown ? ZUNIMPLEMENTED : hand_over(handle_, request.op, {on_event, this}, p);
        if (rc == ZOK) {
            pending_.handed_over();
            own_.submitted(request.op);
            if (p.sets_watch) watches_.asked(p.path);
            return;
        }
        const verdict word = judge_call(rc);
        p.answer.outcome = word.outcome;
        p.answer.error = word.error;
        p.settled = true;
        // Delivers the reply now only if all earlier requests have their replies.
        at_once = pending_.first_settled() == &p;
    }
    if (!at_once) return;
    helper_.post([this] {
        const base::lock_guard turn{turn_};
        deliver_settled();
    });
}

void c_session::forget_watches(const std::string& path) {
    const base::lock_guard lock{mutex_};
    if (!closed_ && watches_.forgotten(path) && usable()) send_removal(path);
}

void c_session::send_removal(const std::string& path) {
    if (lacks(known_->requests.removals) || lacks(known_->requests.create2))
        return forget_here(path);
    pending_request& p = pending_.add();
    p.owner = this;
    p.answer.connection = connection_;
    p.why = pending_request::purpose::watch_removal;
    p.path = path;
    const int rc = hand_over_removal(handle_, path, p);
    if (rc == ZOK) return pending_.handed_over();
    // ZNOWATCHER: the watch has fired already or did not exist. ZINVALIDSTATE: the handle is dead. In both cases
    // nothing remains to be removed.
    watches_.removed(path);
    pending_.remove(p);
}

// Handles the answer to a removal of watches. A removal without an answer is sent again after the next attach.
void c_session::removal_done(const pending_request& p, int rc) {
    const auto word = judge_completion(rc);
    learn(known_->requests.removals, p, word);
    if (word.outcome != core::outcome::answered) return;
    if (rc == ZUNIMPLEMENTED) return forget_here(p.path);
    watches_.removed(p.path);
}

void c_session::drop_forgotten_watches() {
    for (const auto& path : watches_.left_over()) send_removal(path);
}

void c_session::send_witness(const std::optional<server_answers>& told) {
    pending_request& p = pending_.add();
    p.owner = this;
    p.why = pending_request::purpose::witness;
    p.answer.connection = connection_;
    p.told = told;
    if (hand_over_witness(handle_, p) == ZOK) return pending_.handed_over();
    pending_.remove(p);
}

void c_session::completed(pending_request& p, int rc) {
    await_sweep();
    const base::lock_guard turn{turn_};
    deliver_settled();  // the helper, which also does this, may be late
    if (take_reply(p, rc)) deliver_settled();
}

bool c_session::take_reply(pending_request& p, int rc) {
    base::unique_lock lock{mutex_};
    pending_.came_back();
    verdict word = judge_completion(rc);
    // The reply arrived on a silent connection, whose end the library has already reported to the core. So the outcome
    // counts as unknown.
    if (phase_ == phase::detached && word.outcome == core::outcome::answered)
        word = {core::outcome::unknown, core::server_error::ok};
    if (goes_on(p, word)) return false;
    core::coordinator_event event{std::in_place_type<core::reply>, std::move(p.answer)};
    auto& answer = std::get<core::reply>(event);
    answer.outcome = word.outcome;
    answer.error = word.error;
    const auto why = p.why;
    const std::optional<server_answers> told{p.told};
    if (why == pending_request::purpose::watch_removal) removal_done(p, rc);
    if (p.sets_watch && watches_.answered(p.path) && usable()) send_removal(p.path);
    // The C client may have sent the request on a later connection than the connection of its submission.
    if (why == pending_request::purpose::user && word.outcome == core::outcome::answered) {
        answer.connection = connection_;
    }
    if (word.outcome == core::outcome::answered) known_->older.saw(answer.stat);
    const bool had_its_place = line_.complete(p, std::move(event));
    pending_.remove(p);
    const bool next_is_settled = pending_.first_settled() != nullptr;
    move_when_idle();
    lock.unlock();
    if (had_its_place) {
        tell_complete();
    } else if (why == pending_request::purpose::user) {
        deliver(std::move(event));
    } else if (why == pending_request::purpose::examination) {
        examined(answer, told);
    } else if (told && answer.outcome == core::outcome::answered) {
        role_witnessed(answer.connection, *told);
    }
    return next_is_settled;
}

void c_session::deliver_settled() {
    for (;;) {
        base::unique_lock lock{mutex_};
        pending_request* const p = pending_.first_settled();
        if (p == nullptr) return;
        core::reply answer{std::move(p->answer)};
        pending_.remove(*p);
        lock.unlock();
        deliver(std::move(answer));
    }
}

void c_session::deliver(core::coordinator_event&& event) {
    if (!line_.empty()) return line_.add(std::move(event));
    if (!silent_) sink_.deliver(std::move(event));
}

void c_session::on_event(zhandle_t* /*handle*/, int type, int state, const char* path, void* self) {
    c_session& me = *static_cast<c_session*>(self);
    // An exception must not leave a callback of the C client.
    base::finish_or_end("an event of the ZooKeeper client", [&] {
        const base::lock_guard turn{me.turn_};
        if (type == ZOO_SESSION_EVENT) {
            me.session_event(state);
        } else {
            me.watch_fired(type, path);
        }
        me.deliver_settled();
    });
}

void c_session::watch_fired(int type, const char* path) {
    const auto kind = to_watch_kind(type);
    if (!kind || path == nullptr) return;
    core::watch_event event{*kind, path, 0};
    {
        const base::lock_guard lock{mutex_};
        event.connection = connection_;
    }
    deliver(std::move(event));
}

}  // namespace turnstile::zookeeper
