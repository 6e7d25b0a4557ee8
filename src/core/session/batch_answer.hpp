// SPDX-License-Identifier: Apache-2.0
// batch_answer: judges the answer to a transaction that contains requests of several contenders (removal_queue.hpp,
// creation_batch.hpp).
//
// Thread safety: any thread may call the function.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::core {

// True if the servers refused one part of the transaction. Then they carried out no part, and each part may succeed if
// it is sent alone. False if the answer concerns the session or its server.
[[nodiscard]] bool is_batch_refused(const reply& answer);

}  // namespace turnstile::core
