// SPDX-License-Identifier: Apache-2.0
#include "cli/module_list.hpp"

#include "turnstile/version.hpp"

namespace turnstile::cli {

std::string back_ends_text(const std::vector<module_status>& modules) {
    std::string usable = "zookeeper, local";
    std::string others;
    for (const auto& module : modules) {
        if (module.fault.empty())
            usable += ", " + module.name;
        else
            others += (others.empty() ? "; not " : ", ") + module.name;
    }
    return usable + others;
}

std::string version_text(const std::vector<module_status>& modules) {
    std::string text = "turnstile " TURNSTILE_VERSION "\nback ends: " + back_ends_text(modules);
    for (const auto& module : modules)
        if (module.present && !module.fault.empty()) text += "\n" + module.fault;
    return text;
}

}  // namespace turnstile::cli
