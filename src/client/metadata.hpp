// metadata: what a contender writes about itself into its znode.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::detail {

// One line of `key=value` pairs, values percent-escaped, for the calling thread and now; tools that
// show the data as text (Curator's getParticipantNodes, zkCli) show it sensibly.
[[nodiscard]] std::string contender_text(std::string_view path, std::string_view label,
                                         std::string_view owner);

}  // namespace turnstile::detail
