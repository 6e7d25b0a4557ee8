// SPDX-License-Identifier: Apache-2.0
#include "turnstile/leader.hpp"

#include <utility>

#include "recipe/election/election_seat.hpp"
#include "recipe/operator/participants.hpp"

namespace turnstile {

namespace {

std::stop_token triggered() {
    std::stop_source over;
    over.request_stop();
    return over.get_token();
}

leader::function checked(leader::function&& duty) {
    if (!duty) throw_error({errc::bad_option, "leader: the function is empty"});
    return std::move(duty);
}

}  // namespace

// ---- leader_term ------------------------------------------------------------------------------

bool leader_term::valid() const noexcept {
    return lead_.valid();
}

boottime_clock::time_point leader_term::valid_until() const noexcept {
    return lead_.valid_until();
}

turnstile::fencing_token leader_term::fencing_token() const noexcept {
    return lead_.fencing_token();
}

std::stop_token leader_term::lost() const noexcept {
    return lost_;
}

result<void> leader_term::status() const {
    return lead_.status();
}

result<commit_result> leader_term::commit(const transaction& writes,
                                          const commit_options& options) {
    return lead_.commit(writes, options);
}

result<commit_result> leader_term::commit(const transaction& writes) {
    return lead_.commit(writes);
}

// ---- leader ---------------------------------------------------------------------------------

class leader::state {
public:
    // True in a forked child, which must not use the election_seat: the mutex of that object may be locked there for
    // ever.
    [[nodiscard]] bool forked() const noexcept { return seat->queue().servers()->forked(); }
    [[nodiscard]] error forked_error() const { return seat->queue().servers()->forked_error(); }
    [[nodiscard]] std::shared_ptr<guard> lead() const { return forked() ? nullptr : seat->lead(); }
    const std::shared_ptr<detail::election_seat> seat;  // lives until its last call has returned
};

leader::leader(const client& servers, std::string_view path, leader_options options)
    : state_{new state{std::make_shared<detail::election_seat>(servers, path, function{},
                                                               std::move(options))}} {}

leader::leader(const client& servers, std::string_view path, leader_options options, function duty)
    : state_{new state{std::make_shared<detail::election_seat>(
          servers, path, checked(std::move(duty)), std::move(options))}} {}

leader::~leader() {
    close();
}

const std::string& leader::path() const noexcept {
    return state_->seat->queue().path();
}

const std::string& leader::id() const noexcept {
    return state_->seat->id();
}

void leader::start() {
    if (!state_->forked()) state_->seat->start();
}

void leader::close() noexcept {
    if (!state_->forked()) state_->seat->close();
}

bool leader::leads() const noexcept {
    const auto lead = state_->lead();
    return lead && lead->valid();
}

boottime_clock::time_point leader::valid_until() const noexcept {
    const auto lead = state_->lead();
    return lead ? lead->valid_until() : boottime_clock::time_point::min();
}

turnstile::fencing_token leader::fencing_token() const noexcept {
    const auto lead = state_->lead();
    return lead && lead->valid() ? lead->fencing_token() : turnstile::fencing_token{};
}

std::stop_token leader::lost() const {
    if (state_->forked()) return triggered();
    return state_->seat->while_leading().value_or(triggered());
}

result<commit_result> leader::commit(const transaction& writes, const commit_options& options) {
    if (state_->forked()) return state_->forked_error();
    const auto lead = state_->seat->lead();
    if (!lead) return error{errc::not_held, path() + ": " + id() + " does not lead"};
    return lead->commit(writes, options);
}

result<commit_result> leader::commit(const transaction& writes) {
    return commit(writes, commit_options{});
}

result<void> leader::await(const query_options& options) {
    if (state_->forked()) return state_->forked_error();
    return state_->seat->await(options);
}

listener_handle leader::on_change(std::function<void(bool leads)> listener) {
    if (!listener) throw_error({errc::bad_option, "on_change: the listener is empty"});
    if (state_->forked()) return {};
    return state_->seat->on_change(std::move(listener));
}

std::size_t leader::terms() const noexcept {
    return state_->forked() ? 0 : state_->seat->terms();
}

std::optional<error> leader::failure() const {
    if (state_->forked()) return state_->forked_error();
    return state_->seat->failure();
}

void leader::resign() noexcept {
    if (!state_->forked()) state_->seat->resign();
}

result<void> leader::move_to(std::string_view successor, boottime_clock::duration within,
                             const query_options& options) {
    if (state_->forked()) return state_->forked_error();
    return state_->seat->move_to(successor, within, options);
}

result<std::vector<participant>> leader::participants(const query_options& options) const {
    return detail::participants(state_->seat->queue(), options);
}

result<std::optional<participant>> leader::present_leader(const query_options& options) const {
    return detail::first_participant(state_->seat->queue(), options);
}

}  // namespace turnstile
