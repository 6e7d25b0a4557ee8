// permits: what the folder of a semaphore says: how many permits there are. "5", or "2 was 5" after it has
// shrunk while more leases may have been out than there are permits now.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/queue_rule.hpp"

namespace turnstile::core {

[[nodiscard]] std::optional<permit_limit> parse_limit(std::string_view text) noexcept;
[[nodiscard]] std::string limit_text(const permit_limit& limit);

}  // namespace turnstile::core
