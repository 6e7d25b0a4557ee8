// SPDX-License-Identifier: Apache-2.0
#include "turnstile/leader_latch.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "client/listener_list.hpp"
#include "recipe/election/candidacy.hpp"
#include "recipe/operator/participants.hpp"

namespace turnstile {

namespace {

constexpr core::claim k_latch{core::contender_kind::latch};

std::stop_token triggered() {
    std::stop_source over;
    over.request_stop();
    return over.get_token();
}

}  // namespace

class leader_latch::state {
public:
    state(const client& servers, std::string_view path, const std::string& id)
        : seat{
              std::make_shared<detail::candidacy>(servers, path, k_latch, detail::checked_id(id))} {
        seat->observe([all = listeners](detail::candidacy::stage now) {
            if (now != detail::candidacy::stage::failed)
                all->tell(now == detail::candidacy::stage::leading);
        });
    }

    const std::shared_ptr<detail::listener_list<bool>> listeners =
        std::make_shared<detail::listener_list<bool>>();
    const std::shared_ptr<detail::candidacy> seat;
};

leader_latch::leader_latch(const client& servers, std::string_view path, election_identity identity)
    : state_{new state{servers, path, identity.id}} {}

leader_latch::~leader_latch() {
    close();
}

const std::string& leader_latch::path() const noexcept {
    return state_->seat->queue().path();
}

const std::string& leader_latch::id() const noexcept {
    return state_->seat->id();
}

void leader_latch::start() {
    base::finish_or_end("the start of a leader_latch", [this] { state_->seat->enter(); });
}

void leader_latch::close() noexcept {
    base::finish_or_end("the end of a leader_latch", [this] { state_->seat->leave(); });
}

// ---- leadership -----------------------------------------------------------------------------

bool leader_latch::leads() const noexcept {
    const auto lead = state_->seat->lead();
    return lead && lead->valid();
}

boottime_clock::time_point leader_latch::valid_until() const noexcept {
    const auto lead = state_->seat->lead();
    return lead ? lead->valid_until() : boottime_clock::time_point::min();
}

turnstile::fencing_token leader_latch::fencing_token() const noexcept {
    const auto lead = state_->seat->lead();
    return lead && lead->valid() ? lead->fencing_token() : turnstile::fencing_token{};
}

std::stop_token leader_latch::while_leading() const {
    return state_->seat->while_leading().value_or(triggered());
}

result<commit_result> leader_latch::commit(const transaction& writes,
                                           const commit_options& options) {
    const auto lead = state_->seat->lead();
    if (!lead) return error{errc::not_held, path() + ": " + id() + " does not lead"};
    return lead->commit(writes, options);
}

result<commit_result> leader_latch::commit(const transaction& writes) {
    return commit(writes, commit_options{});
}

result<void> leader_latch::await(const query_options& options) {
    return state_->seat->await(options);
}

listener_handle leader_latch::on_change(std::function<void(bool leads)> listener) {
    if (!listener) throw_error({errc::bad_option, "on_change: the listener is empty"});
    return state_->listeners->add(std::move(listener));
}

// ---- queries --------------------------------------------------------------------------------

result<std::vector<participant>> leader_latch::participants(const query_options& options) const {
    return detail::participants(state_->seat->queue(), options);
}

result<std::optional<participant>> leader_latch::leader(const query_options& options) const {
    return detail::first_participant(state_->seat->queue(), options);
}

}  // namespace turnstile
