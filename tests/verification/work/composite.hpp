// SPDX-License-Identifier: Apache-2.0
// composite: a simulated client's call for several locks at once, with core::all_of or core::quorum and one contender
// for each lock.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/composite/all_of.hpp"
#include "core/composite/quorum.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::simulation {

struct composite {
    enum class state { waiting, held, over };

    std::size_t worker = 0;
    std::variant<core::all_of, core::quorum> value;
    std::vector<std::string> folders;
    std::vector<std::optional<core::contender_id>> parts;  // the latest contender of each part
    std::optional<core::time_point> deadline;              // on the client's clock
    bool once = false;
    bool enters_again = true;
    state now = state::waiting;
    std::size_t unanswered = 0;

    [[nodiscard]] bool is_quorum() const { return std::holds_alternative<core::quorum>(value); }
    [[nodiscard]] bool holds(std::size_t part) const {
        return std::visit([part](const auto& entry) { return entry.holds(part); }, value);
    }
};

// Gives composite_judge access to a client's calls for several locks at once (composites).
class composite_holder {
public:
    composite_holder() = default;
    composite_holder(const composite_holder&) = default;
    composite_holder& operator=(const composite_holder&) = default;
    // Returns the composites that the client's callers hold or wait for.
    [[nodiscard]] virtual std::vector<const composite*> composites() const = 0;

protected:
    ~composite_holder() = default;
};

}  // namespace turnstile::simulation
