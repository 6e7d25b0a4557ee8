// SPDX-License-Identifier: Apache-2.0
#include "guardian/peer.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace turnstile::guardian {
namespace {

pid_t process_of(int socket) noexcept {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return 0;
    // The kernel sets peer.pid to 0 for a process outside this PID namespace.
    return peer.uid == ::geteuid() ? peer.pid : 0;
}

// Returns the process id that the kernel shows for the pidfd: -1 if the process was reaped, 0 if the kernel shows none.
pid_t process_of_pidfd(int pidfd) {
    const auto name = "/proc/self/fdinfo/" + std::to_string(pidfd);
    const support::descriptor file{::open(name.c_str(), O_RDONLY | O_CLOEXEC)};
    std::array<char, 1024> room{};
    const auto got = file.open() ? ::read(file.get(), room.data(), room.size()) : -1;
    if (got <= 0) return 0;
    const std::string_view text{room.data(), static_cast<std::size_t>(got)};
    constexpr std::string_view k_field = "\nPid:\t";
    const auto place = text.find(k_field);
    if (place == std::string_view::npos) return 0;
    pid_t found = 0;
    std::from_chars(text.data() + place + k_field.size(), text.data() + text.size(), found);
    return found;
}

bool is_pidfd_of(int pidfd, pid_t process) {
    // Reads the process id first: if the process is reaped before the second call, the id is still right.
    const pid_t found = process_of_pidfd(pidfd);
    const bool dead = ::syscall(SYS_pidfd_send_signal, pidfd, 0, nullptr, 0) != 0;
    if (dead && errno != ESRCH) return false;
    return found == process || found == 0 || (dead && found == -1);
}

support::descriptor passed_descriptor(msghdr& whole) {
    for (cmsghdr* head = CMSG_FIRSTHDR(&whole); head != nullptr; head = CMSG_NXTHDR(&whole, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        int number = -1;
        std::memcpy(&number, CMSG_DATA(head), sizeof number);
        return support::descriptor{number};
    }
    return {};
}

}  // namespace

peer::peer(support::descriptor socket)
    : socket_{std::move(socket)}, process_id_{process_of(socket_.get())} {}

bool peer::idle() const noexcept {
    return !socket_.open() && size() == 0 && kept_open_.empty();
}

bool peer::read_all() {
    while (socket_.open()) {
        const auto found = read_one();
        if (found != receipt::some) return found == receipt::none;
    }
    return true;
}

peer::receipt peer::read_one() {
    std::array<std::byte, k_longest_message> bytes;
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};  // for one descriptor only
    msghdr whole{};
    whole.msg_iov = &part;
    whole.msg_iovlen = 1;
    whole.msg_control = room.data();
    whole.msg_controllen = room.size();
    const auto got = ::recvmsg(socket_.get(), &whole, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return receipt::none;
    if (got <= 0) {
        socket_.reset();
        return receipt::none;
    }
    auto passed = passed_descriptor(whole);
    const auto length = static_cast<std::size_t>(got);
    const bool whole_message = (whole.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    auto value = whole_message ? decode(std::span{bytes}.first(length)) : std::nullopt;
    ::explicit_bzero(bytes.data(), bytes.size());
    if (!value || !apply(*value, std::move(passed))) return receipt::broken;
    return receipt::some;
}

bool peer::apply(const message& value, support::descriptor&& passed) {
    if (std::holds_alternative<hello>(value)) {
        // A process may send its first message, `hello`, again: another client of the process may share the socket.
        if (!passed.open() || !is_pidfd_of(passed.get(), process_id_)) return false;
        pidfd_ = std::move(passed);
        return true;
    }
    if (!pidfd_.open() || std::holds_alternative<cannot_end>(value)) return false;
    if (const auto* kept = std::get_if<keep_open>(&value)) {
        if (!passed.open()) return false;
        // The guardian keeps copies of at most k_most_kept_open descriptors. If the guardian has no copy, the kernel
        // releases the lock of that file as soon as the process ends.
        if (kept_open_.size() < k_most_kept_open)
            kept_open_.insert_or_assign(kept->number, std::move(passed));
        return true;
    }
    if (passed.open()) return false;
    if (const auto* closed = std::get_if<let_go>(&value)) {
        kept_open_.erase(closed->number);
        return true;
    }
    if (const auto* gone = std::get_if<forget_session>(&value)) {
        sessions_.erase(gone->id);
        return true;
    }
    if (const auto* over = std::get_if<forget_module_session>(&value)) {
        module_sessions_.erase(over->number);
        return true;
    }
    // The guardian guards at most k_most_sessions sessions. Further sessions last until their timeout.
    if (const auto* told = std::get_if<guard_module_session>(&value)) {
        new_schemes_.insert(scheme_of(told->servers));
        if (module_sessions_.size() < k_most_sessions || module_sessions_.contains(told->number))
            module_sessions_.insert_or_assign(told->number, *told);
        return true;
    }
    const auto& told = std::get<guard_session>(value);
    // Loads SASL now, because after the process's death memory may be short or files may be missing.
    if (tls::is_enabled(told.sasl)) tls::prepare_sasl();
    if (sessions_.size() < k_most_sessions || sessions_.contains(told.id))
        sessions_.insert_or_assign(told.id, told);
    return true;
}

void peer::tell(const message& value) const {
    const auto bytes = encode(value);
    static_cast<void>(
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

std::vector<int> peer::kept_open() const {
    std::vector<int> all;
    for (const auto& [number, file] : kept_open_) all.push_back(file.get());
    return all;
}

std::vector<guard_session> peer::take_sessions() {
    std::vector<guard_session> result;
    for (auto& [id, session] : sessions_) result.push_back(std::move(session));
    sessions_.clear();
    return result;
}

std::vector<guard_module_session> peer::take_module_sessions() {
    std::vector<guard_module_session> result;
    for (auto& [number, session] : module_sessions_) result.push_back(std::move(session));
    module_sessions_.clear();
    return result;
}

}  // namespace turnstile::guardian
