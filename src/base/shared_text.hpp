// SPDX-License-Identifier: Apache-2.0
// shared_text: a constant text that many objects share. Each object has a pointer to the one copy, which lives until
// the last of these objects is destroyed. Two objects are equal if their texts are equal.
//
// Thread safety: the rules of a const std::string; copies may be used and destroyed in different threads.
#pragma once

#include <string>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "base/never_destroyed.hpp"

namespace turnstile::base {

class shared_text {
public:
    shared_text() = default;
    shared_text(std::string text)  // NOLINT(google-explicit-constructor): a text is a text
        : kept_{new kept{std::move(text)}} {}
    shared_text(const char* text) : shared_text{std::string{text}} {}  // NOLINT: the same

    [[nodiscard]] const std::string& str() const noexcept {
        static const undestroyed<std::string> empty;
        return kept_ ? kept_->text : empty.value;
    }
    operator const std::string&() const noexcept { return str(); }  // NOLINT: the same

    friend bool operator==(const shared_text& a, const shared_text& b) noexcept {
        return a.kept_ == b.kept_ || a.str() == b.str();
    }

private:
    struct kept : boost::intrusive_ref_counter<kept, boost::thread_safe_counter> {
        explicit kept(std::string&& content) : text{std::move(content)} {}
        const std::string text;
    };
    boost::intrusive_ptr<const kept> kept_;
};

}  // namespace turnstile::base
