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
    [[nodiscard]] detail::election_seat* operator->() const noexcept { return seat.get(); }
    const std::shared_ptr<detail::election_seat> seat;  // lives until its last call has returned
};

leader::leader(const client& servers, std::string_view path, leader_options options)
    : state_{new state{std::make_shared<detail::election_seat>(servers, path, function{},
                                                               std::move(options))}} {}

leader::leader(const client& servers, std::string_view path, function duty, leader_options options)
    : state_{new state{std::make_shared<detail::election_seat>(
          servers, path, checked(std::move(duty)), std::move(options))}} {}

leader::~leader() {
    close();
}

const std::string& leader::path() const noexcept {
    return (*state_)->queue().path();
}

const std::string& leader::id() const noexcept {
    return (*state_)->id();
}

void leader::start() {
    (*state_)->start();
}

void leader::close() noexcept {
    (*state_)->close();
}

bool leader::leads() const noexcept {
    const auto lead = (*state_)->lead();
    return lead && lead->valid();
}

boottime_clock::time_point leader::valid_until() const noexcept {
    const auto lead = (*state_)->lead();
    return lead ? lead->valid_until() : boottime_clock::time_point::min();
}

turnstile::fencing_token leader::fencing_token() const noexcept {
    const auto lead = (*state_)->lead();
    return lead && lead->valid() ? lead->fencing_token() : turnstile::fencing_token{};
}

std::stop_token leader::lost() const {
    return (*state_)->while_leading().value_or(triggered());
}

result<commit_result> leader::commit(const transaction& writes, const commit_options& options) {
    const auto lead = (*state_)->lead();
    if (!lead) return error{errc::not_held, path() + ": " + id() + " does not lead"};
    return lead->commit(writes, options);
}

result<commit_result> leader::commit(const transaction& writes) {
    return commit(writes, commit_options{});
}

result<void> leader::await(const query_options& options) {
    return (*state_)->await(options);
}

listener_handle leader::on_change(std::function<void(bool leads)> listener) {
    if (!listener) throw_error({errc::bad_option, "on_change: the listener is empty"});
    return (*state_)->on_change(std::move(listener));
}

std::size_t leader::terms() const noexcept {
    return (*state_)->terms();
}

std::optional<error> leader::failure() const {
    return (*state_)->failure();
}

void leader::resign() noexcept {
    (*state_)->resign();
}

result<void> leader::move_to(std::string_view successor, boottime_clock::duration within,
                             const query_options& options) {
    return (*state_)->move_to(successor, within, options);
}

result<std::vector<participant>> leader::participants(const query_options& options) const {
    return detail::participants((*state_)->queue(), options);
}

result<std::optional<participant>> leader::present_leader(const query_options& options) const {
    return detail::first_participant((*state_)->queue(), options);
}

}  // namespace turnstile
