// SPDX-License-Identifier: Apache-2.0
#include "tls/socket_bio.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <memory>

namespace turnstile::tls {
namespace {

int descriptor_of(BIO* bio) noexcept {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(::BIO_get_data(bio)));
}

bool is_passing(int error) noexcept {
    return error == EAGAIN || error == EINTR || error == ENOTCONN || error == EINPROGRESS;
}

int write_some(BIO* bio, const char* text, int size) {
    ::BIO_clear_retry_flags(bio);
    const auto sent =
        ::send(descriptor_of(bio), text, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (sent < 0 && is_passing(errno)) ::BIO_set_retry_write(bio);
    return static_cast<int>(sent);
}

int read_some(BIO* bio, char* into, int size) {
    ::BIO_clear_retry_flags(bio);
    const auto came = ::recv(descriptor_of(bio), into, static_cast<std::size_t>(size), 0);
    if (came < 0 && is_passing(errno)) ::BIO_set_retry_read(bio);
    if (came == 0) ::BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return static_cast<int>(came);
}

long control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
    switch (command) {
        case BIO_CTRL_FLUSH: return 1;
        case BIO_CTRL_EOF: return ::BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
        default: return 0;
    }
}

using method_owner = std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)>;

method_owner make_method() {
    method_owner method{::BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "turnstile"),
                        ::BIO_meth_free};
    if (method != nullptr) {
        ::BIO_meth_set_write(method.get(), write_some);
        ::BIO_meth_set_read(method.get(), read_some);
        ::BIO_meth_set_ctrl(method.get(), control);
    }
    return method;
}

}  // namespace

BIO* make_socket_bio(int fd) {
    // Never destroyed, because the connections of static clients may outlive other static objects.
    static const BIO_METHOD* const k_method = make_method().release();
    BIO* const bio = k_method == nullptr ? nullptr : ::BIO_new(k_method);
    if (bio == nullptr) return nullptr;
    ::BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
    ::BIO_set_init(bio, 1);
    return bio;
}

}  // namespace turnstile::tls
