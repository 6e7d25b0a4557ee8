// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/client_handle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "base/interruption.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/limits.hpp"

namespace turnstile::zookeeper {
namespace {

int to_client_timeout(core::duration timeout) noexcept {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
    // A timeout of 0 would select the C client's own default. The upper limit is half of an int's range, because the C
    // client doubles the timeout in an int.
    return static_cast<int>(std::clamp<std::int64_t>(ms, 1, std::numeric_limits<int>::max() / 2));
}

// zoo_set_servers drops the connection if the new list lacks the current server. But it compares addresses without
// their ports, so it cannot distinguish servers on one machine. So move() first sets a list with only this address,
// which no ensemble has: a loopback address, or an address of the discard prefix (RFC 6666).
const char* decoy(const socket_address& current) noexcept {
    return current.storage.ss_family == AF_INET6 ? "100::1:1" : "127.254.254.254:1";
}

}  // namespace

client_line parse_client_line(std::string_view line) noexcept {
    static constexpr std::array<std::pair<std::string_view, log_level>, 4> k_levels{{
        {":ZOO_ERROR@", log_level::info},
        {":ZOO_WARN@", log_level::info},
        {":ZOO_INFO@", log_level::debug},
        {":ZOO_DEBUG@", log_level::trace},
    }};
    while (line.ends_with('\n')) line.remove_suffix(1);
    for (const auto& [mark, level] : k_levels) {
        const auto at = line.find(mark);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = line.substr(at + mark.size());
        const auto text = rest.find(": ");
        return {level, text == std::string_view::npos ? rest : rest.substr(text + 2)};
    }
    return {log_level::info, line};
}

void on_client_line(const char* line) noexcept {
    if (line == nullptr) return;
    const client_line parsed = parse_client_line(line);
    log::write(parsed.level, "ZooKeeper client: {}", parsed.text);
}

void completion_sweep::begin(zhandle_t* handle, const char* scheme, std::string_view credentials) {
    under_way_ = true;
    if (zoo_add_auth(handle, scheme, credentials.data(), static_cast<int>(credentials.size()),
                     on_end, this) != ZOK)
        on_end(ZINVALIDSTATE, this);
}

// Ends the wait in await(). If the server itself has answered zoo_add_auth, it has answered all earlier requests, too,
// so no completion is missing.
void completion_sweep::on_end(int /*rc*/, const void* self) {
    auto& me = *static_cast<completion_sweep*>(const_cast<void*>(self));
    {
        const base::lock_guard lock{me.mutex_};
        me.under_way_ = false;
    }
    me.ended_.notify_all();
}

void completion_sweep::await(core::duration limit) {
    if (!under_way_) return;
    base::unique_lock lock{mutex_};
    const auto until = boottime_clock::now() + limit;
    while (under_way_ && ended_.wait_until(lock, until)) {
    }
}

void last_answer::await(zhandle_t* handle, core::duration limit) {
    if (zoo_state(handle) != ZOO_CONNECTED_STATE) return;
    const base::disable_interruption uninterrupted;  // close() does not throw
    const auto until = boottime_clock::now() + limit;
    if (zoo_aexists(handle, "/", 0, on_answer, this) != ZOK) return;
    base::unique_lock lock{mutex_};
    while (!is_answered_ && answered_.wait_until(lock, until)) {
    }
}

// The C client calls this function when the server has answered the read, or when the connection ends before that.
void last_answer::on_answer(int /*rc*/, const Stat* /*stat*/, const void* self) {
    auto& me = *static_cast<last_answer*>(const_cast<void*>(self));
    {
        const base::lock_guard lock{me.mutex_};
        me.is_answered_ = true;
    }
    me.answered_.notify_all();
}

void client_handle::throw_open_error(int failure) const {
    if (failure == ENOMEM || failure == EMFILE || failure == ENFILE || failure == EAGAIN) {
        throw std::system_error{failure, std::generic_category(), "zookeeper_init"};
    }
    // The C client translates the resolver's answer into misleading error numbers: ENOENT, EINVAL.
    const auto why = known_->missing.reason();
    throw_error(
        {errc::unresolvable, fmt::format("{}{}{}", hosts_of(servers_, address_form::for_people),
                                         why.empty() ? "" : ": ", why)});
}

void client_handle::open(const server_list& hosts, const core::session_identity* own,
                         const watcher& tell) {
    clientid_t id{};
    if (own != nullptr) {
        id.client_id = own->id;
        std::copy(own->password.begin(), own->password.end(), std::begin(id.passwd));
    }
    // No code below may throw, because the threads of the handle call the session from here on.
    const auto by_name =
        hosts.by_address ? hosts_of(servers_, address_form::for_c_client) : std::string{};
    const auto with_chroot = hosts.text + (settings_.whole_tree ? "" : servers_.chroot);
    const int flags = ZOO_NO_LOG_CLIENTENV | (settings_.allow_read_only ? ZOO_READONLY : 0);
    const support::block_signals blocked;  // the C client's threads inherit the mask and the name
    const base::name_started_threads named{"turnstile-zk"};
    errno = 0;
    handle_ =
        ::zookeeper_init2(with_chroot.c_str(), tell.function, to_client_timeout(settings_.timeout),
                          own == nullptr ? nullptr : &id, tell.context, flags, on_client_line);
    if (handle_ == nullptr) throw_open_error(errno);
    // Without this call, the I/O thread would resolve all names at each poll. With -1 it resolves them only at an
    // attempt to connect.
    zoo_set_servers_resolution_delay(handle_, -1);
    // Replaces addresses by the names, so that from now on the C client itself resolves the names.
    if (hosts.by_address) zoo_set_servers(handle_, by_name.c_str());
    if (!settings_.credentials.empty()) add_credentials();
}

// Passes no completion, because the C client would call it on the I/O thread. A session event reports a refusal, and
// comes in order with the other events.
void client_handle::add_credentials() {
    const int rc = zoo_add_auth(handle_, "digest", settings_.credentials.data(),
                                static_cast<int>(settings_.credentials.size()), nullptr, nullptr);
    if (rc != ZOK)
        log::write(log_level::error,
                   "the ZooKeeper client could not send the credentials (zoo_add_auth: {})",
                   zerror(rc));
}

// The tunnel connects to servers with TLS for the C client. The tunnel's own thread stores the reason of a failure.
// While the tunnel cannot connect, the C client reports no session event that could store the reason.
void client_handle::make_tunnel() {
    tunnel_ = std::make_unique<tunnel>(servers_, settings_.timeout,
                                       [known = known_](const std::string& why) {
                                           known->failure.set({errc::not_connected, why});
                                       });
}

// Sends credentials of an unknown scheme, so that the server refuses them. A handle with refused credentials is not
// connected, and never connects again.
void client_handle::disconnect() {
    sweep_.begin(handle_, "turnstile-leaves", {});
    sweep_.await(k_leave_limit);
}

void client_handle::await_answers() {
    last_answer_.await(
        handle_, std::min<core::duration>(k_last_answer_limit, timeout() / k_last_answer_part));
}

void client_handle::close(bool is_idle) {
    if (!is_idle) sweep_.begin(handle_, "digest", "closing:closing");
    zookeeper_close(handle_);
    if (tunnel_) tunnel_->stop();
}

core::session_identity client_handle::identity() const {
    core::session_identity own;
    const clientid_t* const id = zoo_client_id(handle_);
    own.id = id->client_id;
    std::copy(std::begin(id->passwd), std::end(id->passwd), own.password.begin());
    return own;
}

core::duration client_handle::timeout() const {
    return std::chrono::milliseconds{zoo_recv_timeout(handle_)};
}

socket_address client_handle::server() const {
    socket_address out;
    socklen_t length = sizeof out.storage;
    auto* const room = reinterpret_cast<sockaddr*>(&out.storage);
    if (zookeeper_get_connected_host(handle_, room, &length) != nullptr) out.length = length;
    return tunnel_ ? tunnel_->server_at(out) : out;
}

server_list client_handle::hosts() const {
    auto chance = base::random::from_system();
    return shuffled_servers(servers_, chance, known_->missing);
}

server_list client_handle::hosts_from(const socket_address& first) const {
    auto chance = base::random::from_system();
    const auto known = resolve_all(servers_);
    const bool is_known = known.host_of.contains(to_string(first, address_form::for_c_client));
    if (tunnel_) return {list_of(is_known ? way_to(first, known, chance).hosts : known.hosts)};
    if (!is_known) return shuffled_servers(servers_, chance, known_->missing);
    const auto way = way_to(first, known, chance);
    return {list_of(way.hosts), way.by_address};
}

// Returns the hosts as a list for the C client. If there is a tunnel, its local addresses replace the hosts. The list
// then has an odd length, because the C client advances by two servers after each failure, and must reach all servers
// (way_to_leader.hpp).
std::string client_handle::list_of(const std::vector<std::string>& hosts) const {
    if (!tunnel_) return fmt::format("{}", fmt::join(hosts, ","));
    std::vector<std::string> list;
    for (const auto& host : hosts)
        list.push_back(is_unreachable(host) ? host : tunnel_->local_of(host));
    if (list.size() % 2 == 0) list.push_back(tunnel_->local_of(hosts.back()));
    return fmt::format("{}", fmt::join(list, ","));
}

// zoo_set_servers frees the old list under a lock, but the C client's I/O thread reads the list without that lock. The
// I/O thread reads the list only after the connection has failed, and while the handle is attached to a read-only
// server (handle_error, zookeeper_interest and ping_rw_server of 3.8.0; in 3.9.5 only handle_error and ping_rw_server).
// So this function is called only while a connection exists or is being made, and never after a failure. If the
// connection fails during the call, which takes microseconds, the I/O thread may read freed memory.
void client_handle::move(const way_to_leader& to) {
    const auto list = list_of(to.hosts);
    if (zoo_set_servers(handle_, decoy(to.from)) != ZOK ||
        zoo_set_servers(handle_, list.c_str()) != ZOK) {
        log::write(log_level::warning,
                   "ZooKeeper's C client does not accept the list of servers {}", list);
    }
}

// The C client blocks its I/O thread while it resolves names. So names replace the addresses only if the names resolve
// fast.
bool client_handle::may_list_names() const {
    if (tunnel_ || listed_ == 0) return false;  // the tunnel resolves the names
    const auto begun = boottime_clock::now();
    const auto here = to_string(server(), address_form::for_c_client);
    bool stays = false;
    std::size_t found = 0;
    for (const auto& server : servers_.servers) {
        const auto addresses = resolve(server);
        if (addresses.empty()) return false;
        found += addresses.size();
        for (const auto& address : addresses)
            stays = stays || to_string(address, address_form::for_c_client) == here;
    }
    // If the names resolved to more addresses than the C client's present list has, the C client might move to another
    // server, chosen at random, without a report.
    return stays && found <= listed_ && boottime_clock::now() - begun <= k_resolve_limit;
}

// The C client keeps its connection, because the new list contains its server and is not longer than the old list.
void client_handle::list_names() {
    listed_ = 0;
    zoo_set_servers(handle_, hosts_of(servers_, address_form::for_c_client).c_str());
}

}  // namespace turnstile::zookeeper
