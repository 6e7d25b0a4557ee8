// shared_text: a text that never changes and that many objects have in common: one copy of it, for as long as one of
// them is left. A value: compared by what it says.
//
// Thread safety: as a const std::string; copies may be used and destroyed in different threads.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace turnstile::base {

class shared_text {
public:
    shared_text() = default;
    shared_text(std::string text)  // NOLINT(google-explicit-constructor): a text is a text
        : text_{std::make_shared<const std::string>(std::move(text))} {}
    shared_text(const char* text) : shared_text{std::string{text}} {}  // NOLINT: the same

    [[nodiscard]] const std::string& str() const noexcept {
        static const std::string empty;
        return text_ ? *text_ : empty;
    }
    operator const std::string&() const noexcept { return str(); }  // NOLINT: the same

    friend bool operator==(const shared_text& a, const shared_text& b) noexcept {
        return a.text_ == b.text_ || a.str() == b.str();
    }

private:
    std::shared_ptr<const std::string> text_;
};

}  // namespace turnstile::base
