// SPDX-License-Identifier: Apache-2.0
#include "cli/file_findings.hpp"

namespace turnstile::cli {

findings file_findings(const examination& seen) {
    findings found;
    if (!seen.file) return found;
    for (const auto& why : seen.file->refusals)
        found.push_back({severity::problem, "file_refused", seen.file->file, why,
                         "give the file one name in a folder on a local file system, and use its "
                         "path everywhere; clients open it then"});
    if (!seen.file->exposure.empty())
        found.push_back({severity::warning, "file_exposed", seen.file->file, seen.file->exposure,
                         "0600 for one user, 0660 for a group of users that all take locks"});
    return found;
}

}  // namespace turnstile::cli
