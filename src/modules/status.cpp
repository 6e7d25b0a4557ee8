// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/core_folder.hpp"
#include "modules/find.hpp"
#include "turnstile/tools/modules.hpp"

namespace turnstile {
namespace {

module_status status_of(modules::module_kind which) {
    module_status seen{std::string{modules::name_of(which)},
                       std::string{modules::servers_of(which)}};
    const auto folder = base::folder_of_core();
    const auto found = modules::find(which, modules::servers_of(which));
    if (!found) seen.fault = found.error().detail();
    if (modules::is_linked_in(which)) {
        seen.present = true;
    } else if (!folder.empty()) {
        seen.file = folder + "/" + modules::file_of(which);
        std::error_code unseen;
        seen.present = std::filesystem::exists(seen.file, unseen);
    }
    return seen;
}

}  // namespace

std::vector<module_status> installed_modules() {
    std::vector<module_status> all;
    for (const auto which : modules::k_kinds) all.push_back(status_of(which));
    return all;
}

}  // namespace turnstile
