// SPDX-License-Identifier: Apache-2.0
// shared_mutex: the state that a shared_mutex shares with its three views. A view is a lock object that acquires one
// kind of hold: read, write or upgradable.
#pragma once

#include <memory>
#include <string_view>

#include "recipe/lock/conversion.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/lock/standard_forms.hpp"
#include "turnstile/shared_mutex.hpp"

namespace turnstile {

namespace detail {

constexpr core::claim_kind core_kind(contender_kind kind) noexcept {
    switch (kind) {
        case contender_kind::reader: return core::claim_kind::read;
        case contender_kind::upgradable: return core::claim_kind::upgradable;
        default: return core::claim_kind::write;
    }
}

}  // namespace detail

class shared_mutex_view::state {
public:
    std::shared_ptr<const detail::queue_lock> queue;
    contender_kind kind = contender_kind::writer;
};

class shared_mutex::state {
public:
    explicit state(std::shared_ptr<const detail::queue_lock> lock)
        : queue{lock},
          readers{new shared_mutex_view::state{lock, contender_kind::reader}},
          upgraders{new shared_mutex_view::state{lock, contender_kind::upgradable}},
          writers{new shared_mutex_view::state{lock, contender_kind::writer}} {}

    [[nodiscard]] const shared_mutex_view& view(contender_kind kind) const noexcept {
        switch (kind) {
            case contender_kind::reader: return readers;
            case contender_kind::upgradable: return upgraders;
            default: return writers;
        }
    }
    [[nodiscard]] detail::upgrade_request upgrading(
        core::attempt mode = core::attempt::wait) const {
        return {*queue->servers(), queue->path(), mode};
    }

    const std::shared_ptr<const detail::queue_lock> queue;
    const shared_mutex_view readers;
    const shared_mutex_view upgraders;
    const shared_mutex_view writers;
    detail::standard_forms threads;
};

}  // namespace turnstile
