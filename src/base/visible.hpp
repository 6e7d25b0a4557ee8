// SPDX-License-Identifier: Apache-2.0
// visible: text of other clients as a log line, an error message or a terminal may show it. Names, labels and reasons
// are hostile: an escape sequence could rewrite the screen, a line break could forge a log line.
//
// log::write_line, error::message() and deadlock::to_string() escape all that they give out, so no other place has to.
//
// Thread safety: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::base {

// UTF-8 stays; control characters, marks that turn the direction of writing, and what is no UTF-8 become \xNN.
[[nodiscard]] std::string visible(std::string_view text);

}  // namespace turnstile::base
