// SPDX-License-Identifier: Apache-2.0
#include "redis/server_connector.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "support/poll_time.hpp"

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Limits for the total time of one attempt to attach.
constexpr core::duration k_least_patience = 500ms;
constexpr core::duration k_most_patience = 5s;
constexpr int k_most_redirections = 5;

}  // namespace

server_connector::server_connector(redis_address where, const core::session_settings& settings,
                                   std::shared_ptr<known_servers> known, int stop)
    : where_{std::move(where)},
      settings_{settings},
      known_{std::move(known)},
      stop_{stop},
      chance_{base::random::from_system()} {}

std::optional<greeting> server_connector::search() {
    const auto patience =
        std::clamp<core::duration>(settings_.timeout / 2, k_least_patience, k_most_patience);
    const auto begin = boottime_clock::now();
    deadline_ = begin + patience;
    server_ = {};
    reasons_.clear();
    sentinels_.clear();
    // Reads the certificate files at each attempt, because operators renew certificates.
    auto trusted = make_tls_context(where_.tls);
    if (!trusted) return greeting{.result = welcome::unfit, .reason = trusted.error().message()};
    tls_ = *std::move(trusted);
    auto found = find_servers(where_, tls_.get(), begin + patience / 2, stop_,
                              known_->replaced.least_epoch(begin), sentinels_);
    resolving_ = found.resolving;
    if (found.result != welcome::ok)
        return greeting{.result = found.result, .reason = std::move(found.reason)};
    epoch_ = found.epoch;
    left_.assign(found.candidates.begin(), found.candidates.end());
    // In a cluster, starts with the node that last had the tree's keys.
    if (tree_at_) {
        std::erase(left_, *tree_at_);
        left_.push_front(*tree_at_);
    }
    return std::nullopt;
}

// In a cluster, follows the redirections to the node that has the tree's keys.
std::optional<connected_server> server_connector::next() {
    if (left_.empty()) {
        sentinels_.clear();
        return std::nullopt;
    }
    const auto now = boottime_clock::now() - resolving_;
    const auto until = now + (deadline_ - now) / static_cast<int>(left_.size());
    auto at = std::move(left_.front());
    left_.pop_front();
    for (int i = 0; i != k_most_redirections; ++i) {
        auto found = connect(at, until);
        if (!found.welcomed.moved_to) return found;
        at = *std::move(found.welcomed.moved_to);
    }
    return connected_server{
        .welcomed = {
            .reason =
                "the nodes of the cluster disagree about which node has the keys of the tree"}};
}

// Adds the duration of the name resolution to `deadline`, which does not include it.
connected_server server_connector::connect(const server_address& server,
                                           core::time_point deadline) {
    server_ = server;
    connected_server to{.commands = std::make_unique<line>(server, tls_.get(), stop_)};
    resolving_ += to.commands->resolving();
    to.deadline = deadline + resolving_;
    to.welcomed = greet(*to.commands, where_, to.deadline, stop_);
    if (to.welcomed.result != welcome::ok) return to;
    const auto promised = promises_of(to.welcomed.facts, where_.has_sentinels());
    if (const auto lacking = missing(promised, settings_.required); !lacking.empty()) {
        to.welcomed = {
            .result = welcome::unfit,
            .reason = "the server promises less than client_options::require demands; " + lacking};
        return to;
    }
    // Connects to the numeric address of the first connection, because the server's name may have several addresses.
    to.bells = std::make_unique<line>(to.commands->peer().value(), tls_.get(), stop_, server.host);
    auto listener = greet_listener(*to.bells, where_, to.deadline, stop_);
    if (listener.result != welcome::ok) to.welcomed = std::move(listener);
    return to;
}

void server_connector::report(const std::string& reason, errc code) {
    if (support::is_readable(stop_)) return;
    note(reason, code);
    if (std::exchange(told_, reason) != reason)
        log::write(log_level::warning, "{}: {}", place(), reason);
}

// With sentinels, each reason already contains the server's name.
void server_connector::note(const std::string& reason, errc code) {
    auto line = is_named() ? reason : to_string(server_) + ": " + reason;
    if (!reasons_.ends_with(line)) reasons_ += (reasons_.empty() ? "" : "; ") + line;
    known_->failure.set({code, reasons_});
}

void server_connector::attached(const server_facts& facts) {
    if (facts.cluster) tree_at_ = server_;
    told_.clear();
    known_->failure.clear();
    retries_.reset();
    if (where_.has_sentinels())
        watch_.emplace(where_, tls_.get(), std::exchange(sentinels_, {}), server_, epoch_,
                       settings_.timeout, told_refusals_);
}

void server_connector::detached() {
    watch_.reset();
    sentinels_.clear();
}

bool server_connector::is_named() const {
    return server_.host.empty() || where_.servers == std::vector{server_};
}

std::string server_connector::place() const {
    return to_string(where_) + (is_named() ? std::string{} : ": " + to_string(server_));
}

core::link_event server_connector::attach_event() const {
    core::link_event event;
    event.kind = core::link_kind::attached;
    event.timeout = settings_.timeout;
    event.role = server_role::standalone;
    event.server = to_string(server_);
    return event;
}

bool server_connector::answers_at(const server_address& peer, core::duration within) const {
    const auto until = boottime_clock::now() + within;
    line look{peer, tls_.get(), stop_, server_.host};
    if (greet_listener(look, where_, until, stop_).result != welcome::ok) return false;
    const auto answer = look.ask({"PING"}, until, stop_);
    return answer && answer->type != REDIS_REPLY_ERROR;
}

pollfd server_connector::awaited() const noexcept {
    return watch_ ? pollfd{watch_->fd(), watch_->awaited(), 0} : pollfd{-1, 0, 0};
}

core::time_point server_connector::due() const noexcept {
    return watch_ ? watch_->due() : core::time_point::max();
}

std::optional<server_address> server_connector::replacing_master() {
    if (!watch_) return std::nullopt;
    watch_->go_on(boottime_clock::now());
    const auto& found = watch_->switched();
    if (found) known_->replaced.left(watch_->epoch(), boottime_clock::now() + settings_.timeout);
    return found;
}

}  // namespace turnstile::redis
