// SPDX-License-Identifier: Apache-2.0
// TLS below a line: what it trusts and shows, and one connection of it. Debian 12's hiredis (0.14) has no TLS, and later
// ones have it in a library of its own: here hiredis parses, and OpenSSL carries.
//
// Thread safety: contexts are values that do not change; a stream may be read by one thread while another one writes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "turnstile/result.hpp"

namespace turnstile::redis {

// full: the certificate is of a known authority, and for the host's name. authority: of a known one, for any name.
enum class tls_verification { full, authority, none };

struct tls_settings {
    bool enabled = false;
    tls_verification verify = tls_verification::full;
    std::string ca_file;    // of the authorities; empty: those of the system
    std::string cert_file;  // of the client, for servers that ask; empty: none
    std::string key_file;
    friend bool operator==(const tls_settings&, const tls_settings&) = default;
};

enum class tls_progress { done, wants_to_read, wants_to_write, failed };

// One connection.
class tls_stream {
public:
    virtual ~tls_stream() = default;

    // Goes on with the greeting as far as that goes without waiting.
    [[nodiscard]] virtual tls_progress go_on() = 0;
    // How many bytes came or went; 0: none now. Negative: the connection has ended.
    [[nodiscard]] virtual std::ptrdiff_t read(char* into, std::size_t most) = 0;
    [[nodiscard]] virtual std::ptrdiff_t write(std::string_view text) = 0;
    // Why it failed or ended.
    [[nodiscard]] virtual std::string reason() const = 0;
    // It did not fail by chance: the certificate, or the settings, have to be others.
    [[nodiscard]] virtual bool is_refused() const noexcept = 0;
};

class tls_context {
public:
    virtual ~tls_context() = default;

    // On a socket that is connected; `host` is what the certificate has to name.
    [[nodiscard]] virtual std::unique_ptr<tls_stream> open(int fd,
                                                           const std::string& host) const = 0;
};

// False in a build without OpenSSL.
[[nodiscard]] bool has_tls() noexcept;

// Reads the files; null where it is not enabled. Errors: bad_option, with the file and the reason.
[[nodiscard]] result<std::shared_ptr<const tls_context>> make_tls_context(
    const tls_settings& settings);

}  // namespace turnstile::redis
