// SPDX-License-Identifier: Apache-2.0
// cold: a value that has its default in most objects. With the default, it takes only the space of a pointer.
//
//     cold<delays> late;
//     late->end;            reads the value, or the default
//     late.change().end = now;  allocates the value first, if it is the default
//     late.reset();         the default again
//
// Use it for data that only a few of very many objects have. Copies, moves and comparisons work on the value: an object
// that never changed equals an object whose change was undone.
//
// Thread safety: a cold<T> may be used by several threads as a T may.
#pragma once

#include <memory>
#include <utility>

#include "base/never_destroyed.hpp"

namespace turnstile::base {

template <class T>
class cold {
public:
    cold() = default;
    ~cold() = default;
    cold(const cold& other) : kept_{other.kept_ ? std::make_unique<T>(*other.kept_) : nullptr} {}
    cold(cold&&) noexcept = default;
    cold& operator=(const cold& other) {
        kept_ = other.kept_ ? std::make_unique<T>(*other.kept_) : nullptr;
        return *this;
    }
    cold& operator=(cold&&) noexcept = default;

    [[nodiscard]] const T& operator*() const noexcept { return kept_ ? *kept_ : default_value(); }
    [[nodiscard]] const T* operator->() const noexcept { return &**this; }

    [[nodiscard]] T& change() {
        if (!kept_) kept_ = std::make_unique<T>();
        return *kept_;
    }
    [[nodiscard]] bool changed() const noexcept { return kept_ != nullptr; }
    void reset() noexcept { kept_.reset(); }
    [[nodiscard]] T take() { return kept_ ? std::move(*std::exchange(kept_, nullptr)) : T{}; }

    friend bool operator==(const cold& a, const cold& b) {
        return (!a.kept_ && !b.kept_) || *a == *b;
    }

private:
    [[nodiscard]] static const T& default_value() noexcept {
        static const undestroyed<T> unchanged;
        return unchanged.value;
    }

    std::unique_ptr<T> kept_;
};

}  // namespace turnstile::base
