// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/raw_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "base/host_text.hpp"
#include "base/path.hpp"
#include "turnstile/tools/path.hpp"
#include "zookeeper/diagnosis.hpp"
#include "zookeeper/security.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::int32_t k_unimplemented = -6;
constexpr std::int32_t k_sasl_wanted = -124;

}  // namespace

std::string mark_of(std::int64_t session) {
    return fmt::format("{}{:x}", k_session_mark, static_cast<std::uint64_t>(session));
}

std::int32_t wire_timeout(core::duration timeout) noexcept {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(ms, 1, k_longest_timeout_ms));
}

bool raw_session::write(const std::string& packet) {
    if (link_.write(packet)) return true;
    reason_ = link_.reason();
    return false;
}

// Reads one frame. If the frame is longer than k_longest_frame, reads only its beginning. The callers then read no
// later frame of this connection.
bool raw_session::read_frame() {
    std::string head(k_length_bytes, '\0');
    if (!link_.read(head)) {
        reason_ = link_.reason();
        return false;
    }
    if (reason_ = foreign_protocol(head); !reason_.empty()) return false;
    const auto length = parse_length(head);
    if (!length) {
        reason_ = "the answer has a negative length";
        return false;
    }
    return read_body(std::min(*length, k_longest_frame));
}

// Allocates memory only as the bytes arrive, because the length in the frame may be wrong.
bool raw_session::read_body(std::size_t length) {
    constexpr std::size_t k_piece = std::size_t{16} << 10U;
    frame_.clear();
    while (frame_.size() < length) {
        const auto at = frame_.size();
        frame_.resize(std::min(length, at + k_piece));
        if (link_.read(std::span{frame_}.subspan(at))) continue;
        reason_ = link_.reason();
        return false;
    }
    return true;
}

std::optional<attach_answer> raw_session::attach(const attach_request& request) {
    if (!write(attach_packet(request))) return std::nullopt;
    return finish_attach();
}

std::optional<attach_answer> raw_session::finish_attach() {
    if (!read_frame()) return std::nullopt;
    attach_frame_ = frame_;
    auto answer = parse_attach(frame_);
    if (!answer) reason_ = "the server's answer to the connect request is malformed";
    const bool authenticates =
        server_ != nullptr && server_->security && tls::is_enabled(server_->security->sasl);
    if (answer && authenticates && answer->timeout_ms > 0 && !authenticate()) return std::nullopt;
    return answer;
}

bool raw_session::fail_sasl(const std::string& why) {
    const auto& sasl = server_->security->sasl;
    reason_ = sasl.mechanism == sasl_mechanism::gssapi
                  ? fmt::format("SASL GSSAPI: {}", why)
                  : fmt::format("SASL user {}: {}", base::printable(sasl.user), why);
    return false;
}

namespace {

// Returns the likely reason of a refusal. A server answers a token with its own token, or with an error without a
// reason.
std::string refusal_of(sasl_mechanism which, bool is_first) {
    if (which == sasl_mechanism::gssapi)
        return "the server has no GSSAPI, or refuses the ticket (sasl_service, sasl_server_name)";
    return is_first ? "the server has no DIGEST-MD5 (ZooKeeper 3.9.6 and later: set the system "
                      "property zookeeper.fips-mode=false)"
                    : "the server refuses the user or the password (sasl_password_file)";
}

}  // namespace

bool raw_session::authenticate() {
    const auto& sasl = server_->security->sasl;
    const auto exchange = exchange_for(sasl, server_->host);
    if (!exchange.value) return fail_sasl(exchange.fault);
    std::string from_server;
    for (int i = 0; i != tls::k_most_sasl_tokens; ++i) {
        const auto token = exchange.value->answer(from_server);
        if (!token) return fail_sasl(exchange.value->reason());
        const bool is_last = exchange.value->is_complete();
        if (is_last && token->empty()) return true;
        const auto request = ++last_request_;
        const auto error = ask(sasl_packet(request, *token), request);
        if (!error) return false;
        const auto told = *error == 0 ? parse_sasl_token(frame_) : std::nullopt;
        if (!told || (told->empty() && !is_last))
            return fail_sasl(refusal_of(sasl.mechanism, i == 0));
        if (is_last) return true;
        from_server = *told;
    }
    return fail_sasl("the server does not end the SASL exchange");
}

std::optional<reply_head> raw_session::read_reply(std::int32_t request) {
    while (read_frame()) {
        const auto head = parse_reply(frame_);
        if (!head) {
            reason_ = "the answer is too short";
            return std::nullopt;
        }
        if (head->request == request) return head;
        if (head->request == k_auth_request && head->error != 0) return head;
    }
    return std::nullopt;
}

raw_session::listing raw_session::list(const std::string& credentials, path_list& owned) {
    const auto request = ++last_request_;
    std::string packets = credentials.empty() ? std::string{} : auth_packet(credentials);
    packets += list_packet(request);
    if (!write(packets)) return listing::cut_off;
    const auto head = read_reply(request);
    if (!head) return listing::cut_off;
    if (head->request != request) return listing::unauthenticated;
    if (head->error == k_unimplemented) return listing::unimplemented;
    if (head->error == k_sasl_wanted) {
        reason_ =
            "the server requires SASL: set client_options::sasl, or sasl_user and "
            "sasl_password_file in "
            "the connect string";
        return listing::sasl_wanted;
    }
    auto found = head->error == 0 ? parse_paths(frame_) : std::nullopt;
    if (!found) {
        reason_ = head->error == 0
                      ? "the list of the session's znodes is malformed"
                      : fmt::format("the server answered with the error {}", head->error);
        return listing::cut_off;
    }
    owned = std::move(*found);
    return listing::listed;
}

std::optional<std::int32_t> raw_session::ask(const std::string& packet, std::int32_t request) {
    if (!write(packet)) return std::nullopt;
    const auto head = read_reply(request);
    if (!head) return std::nullopt;
    return head->error;
}

std::optional<std::int32_t> raw_session::create_ephemeral(const std::string& path) {
    const auto request = ++last_request_;
    const auto before = boottime_clock::now();
    clock_.reset();
    const auto code = ask(create_ephemeral_packet(request, path), request);
    const auto created = code == 0 ? parse_creation_ms(frame_) : std::nullopt;
    if (created)
        clock_ = core::clock_reading_of(std::chrono::milliseconds{*created}, before,
                                        boottime_clock::now());
    return code;
}

std::optional<std::int32_t> raw_session::remove(const std::string& path) {
    const auto request = ++last_request_;
    return ask(remove_packet(request, path), request);
}

namespace {

opening failed_opening(opening_outcome outcome, const raw_session& raw) {
    return {.outcome = outcome, .reason = raw.reason()};
}

}  // namespace

opening open_session(byte_stream& link, const opening_settings& settings) {
    raw_session raw{link, settings.server};
    const auto attached = raw.attach(
        {.timeout_ms = settings.timeout_ms, .allow_read_only = settings.allow_read_only});
    if (!attached) return failed_opening(opening_outcome::failed, raw);
    if (attached->read_only) return {.outcome = opening_outcome::read_only};
    if (attached->timeout_ms <= 0 || attached->session == 0)
        return {.outcome = opening_outcome::failed, .reason = "the server opened no session"};

    opening result{.outcome = opening_outcome::opened,
                   .session = {attached->session, attached->password}};
    if (!settings.asks_what_is_owned) return result;
    switch (raw.list(settings.credentials, result.owned)) {
        case raw_session::listing::listed: break;
        case raw_session::listing::unimplemented:
            result.outcome = opening_outcome::unknowing;
            return result;
        // The server has refused the credentials. The C client will get the same refusal and report it, so this
        // function returns the session without a list of the session's znodes.
        case raw_session::listing::unauthenticated: return result;
        case raw_session::listing::sasl_wanted: return failed_opening(opening_outcome::failed, raw);
        case raw_session::listing::cut_off: return failed_opening(opening_outcome::cut_off, raw);
    }
    if (result.owned.count > 0) {
        result.outcome = opening_outcome::shared;
        return result;
    }
    // The session mark is a znode that shows that the session is in use. A server may refuse to create this znode, and
    // the session is still usable.
    if (settings.mark && !raw.create_ephemeral(mark_of(attached->session)))
        return failed_opening(opening_outcome::cut_off, raw);
    result.clock = raw.clock();
    return result;
}

void lengthen(byte_stream& link, const core::session_identity& session) {
    raw_session raw{link};
    static_cast<void>(raw.attach(
        {.timeout_ms = k_longest_timeout_ms, .session = session.id, .password = session.password}));
}

}  // namespace turnstile::zookeeper
