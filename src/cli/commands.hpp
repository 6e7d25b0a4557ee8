// SPDX-License-Identifier: Apache-2.0
// commands: the subcommands of `turnstile`, and the program with all of them. Each function add_..._command adds one
// subcommand, and is defined in the source file with the subcommand's name. look.cpp, take.cpp and completion.cpp
// define two of these functions each. program.cpp defines add_commands and run_command_line.
//
// Thread safety: the main thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace turnstile::cli {

struct command_line {
    // The words after "--", which belong to the command that is run.
    std::vector<std::string> behind_dashes;
    // The chosen subcommand's work, which that subcommand sets. Called while the process has one thread. Returns the
    // exit code. Prints an error as one line on stderr.
    std::function<int()> action;
};

void add_run_command(CLI::App& program,
                     command_line& line);  // runs a program while it holds a lock
void add_elect_command(CLI::App& program,
                       command_line& line);  // runs a program on one machine of several
void add_ls_command(CLI::App& program, command_line& line);     // lists the locks below a folder
void add_show_command(CLI::App& program, command_line& line);   // shows a lock and its queue
void add_watch_command(CLI::App& program, command_line& line);  // shows locks while they change
void add_ask_command(CLI::App& program, command_line& line);    // asks a holder to release
void add_take_command(CLI::App& program, command_line& line);   // takes a lock away from its holder
void add_mkdir_command(CLI::App& program, command_line& line);  // creates a folder, and the chroot
void add_sessions_command(CLI::App& program, command_line& line);  // lists sessions and their hosts
void add_doctor_command(CLI::App& program,
                        command_line& line);  // examines servers, settings and a path
void add_bench_command(CLI::App& program,
                       command_line& line);  // measures locks on the user's servers
void add_serve_command(CLI::App& program, command_line& line);  // serves the admin page
void add_dev_command(CLI::App& program, command_line& line);    // runs private ZooKeeper servers
void add_completion_command(CLI::App& program, command_line& line);  // prints a shell's completion
void add_manual_command(CLI::App& program, command_line& line);      // prints the manual page

// Adds all subcommands. The parsed subcommand sets `line.action`.
void add_commands(CLI::App& program, command_line& line);

// Parses the words and runs the subcommand. Returns the exit code. Prints an error as one line on stderr.
[[nodiscard]] int run_command_line(std::vector<std::string> words);

}  // namespace turnstile::cli
