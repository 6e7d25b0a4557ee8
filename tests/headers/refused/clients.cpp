// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "turnstile/client.hpp"

void connect(const char* from_the_environment) {
    const turnstile::client by_literal{"local:"};
    const turnstile::client by_pointer{from_the_environment};
    const turnstile::client by_string{std::string{"local:"}};
#ifdef REFUSED_null
    const turnstile::client none{nullptr};  // refused: deleted
#endif
}
