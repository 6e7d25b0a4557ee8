// SPDX-License-Identifier: Apache-2.0
#include "client/observed_hold.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "client/call_record.hpp"
#include "client/metrics_impl.hpp"

namespace turnstile::detail {

void record_deletion::operator()(call_record* record) const noexcept {
    delete record;
}

record_pointer record_of(const std::shared_ptr<metrics_impl>& metrics, const std::string& path) {
    return record_pointer{metrics ? metrics->begin(path).release() : nullptr};
}

void observed_hold::observe(record_pointer&& record) noexcept {
    record_ = std::move(record);
    if (record_) record_->tell_begin(*this);
}

void observed_hold::record_ahead(std::size_t ahead) {
    record_->note_ahead(ahead);
}

void observed_hold::record_grant() {
    record_->granted(*this);
}

void observed_hold::record_refusal(const error& why) {
    record_->refused(why);
}

void observed_hold::record_loss(const error& why) {
    record_->lost(why);
}

void observed_hold::record_given_up(const error& why) noexcept {
    base::finish_or_end("the count of a release", [&] { record_->given_up(why); });
    record_->tell_end(*this);
}

void observed_hold::record_answer(const result<guard>& answer) const noexcept {
    record_->tell_outcome(*this, answer);
}

void observed_hold::record_end() const noexcept {
    record_->tell_end(*this);
}

}  // namespace turnstile::detail
