// SPDX-License-Identifier: Apache-2.0
#include "simulation/stamped_steps.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace turnstile::simulation {

void read_stamped(script& by, const std::string& path, stamped_handler then) {
    by.read(path, [then = std::move(then)](const auto& outcome) {
        if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
        const auto& answer = std::get<core::reply>(outcome);
        if (answer.error == core::server_error::no_node) return then(detail::stamped_data{});
        then(detail::stamped_data{answer.data, answer.stat.version, answer.stat.mtime});
    });
}

void ask_time(script& by, std::uint64_t call, time_handler then) {
    by.commit(call, {core::check_op{"/"}},
              [&by, call, then = std::move(then)](const core::commit_outcome& outcome) {
                  if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
                  read_stamped(by, by.znode(call), [then](const auto& own) {
                      if (!own) return then(own.error());
                      then(own->changed);
                  });
              });
}

void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then) {
    std::vector<core::write_part> parts;
    if (as_read.exists()) {
        parts.emplace_back(core::set_op{path, text, as_read.version});
    } else {
        parts.emplace_back(core::create_op{path, text});
    }
    by.commit(call, std::move(parts),
              [then = std::move(then)](const core::commit_outcome& outcome) {
                  if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
                  then({});
              });
}

}  // namespace turnstile::simulation
