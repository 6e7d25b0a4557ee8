#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the house rules that a machine can check. Prints each violation as file:line, and fails if there is one.
#
#     check.sh [rule]...   (default: every rule)
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly code=(include src testing tests bench examples demo)
readonly most_lines=400
violations=0

# report <why> prints each line of standard input as a violation with the reason.
report() {
    local line
    while IFS= read -r line; do
        printf '%s: %s\n' "$line" "$1"
        violations=$((violations + 1))
    done
}

sources() {
    find "$@" -name '*.cpp' -o -name '*.hpp' | sort
}

# Lists the sources of the admin page and of its tests that are not C++.
page_sources() {
    find src/admin/page tests/admin/page -name '*.js' -o -name '*.mjs' -o -name '*.css' -o -name '*.html' -o -name '*.svg' | sort
}

# matches <extended regular expression> <folder>... prints the matches in C++ sources as file:line:text.
matches() {
    local pattern=$1
    shift
    sources "$@" | xargs -r grep -nHE -e "$pattern" || true
}

# includes <folder>... -- <header>... prints where the folders include headers whose paths begin with one of these
# texts.
includes() {
    local folders=() headers
    while [[ $1 != -- ]]; do
        folders+=("$1")
        shift
    done
    shift
    headers=$(IFS='|' && echo "$*")
    matches "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"](${headers})" "${folders[@]}"
}

rule_length() {
    local file lines
    while IFS= read -r file; do
        lines=$(wc -l <"$file")
        if ((lines > most_lines)); then
            echo "$file:$lines"
        fi
    done < <(sources "${code[@]}" && page_sources) | report "more than $most_lines lines"
    # clang-format breaks the lines of code, and not the lines of comments.
    git ls-files -- '*.cpp' '*.hpp' '*.lua' '*.sql' | { LC_ALL=C.UTF-8 xargs grep -HnoE '^.{121}' || true; } |
        report "a line of more than 120 characters"
    # bench/driver/svg.py makes the pictures and keeps them short.
    git ls-files -- '*.svg' | while IFS= read -r file; do
        lines=$(wc -l <"$file")
        ((lines <= 300)) || echo "$file:$lines"
    done | report "more than 300 lines"
}

rule_left_over() {
    local words='TO''DO|FIX''ME|XX''X|HA''CK'
    { grep -rnIHwE -e "$words" "${code[@]}" cmake scripts CMakeLists.txt || true; } |
        report "left over"
}

rule_sleep() {
    {
        # Only the tests of services in virtual time may sleep.
        matches 'sleep_(for|until)|\bu?sleep ?\(|nanosleep' tests |
            { grep -vE '^tests/(deterministic/|.*deterministic[a-z_]*\.cpp)' || true; }
        grep -rnE 'setTimeout|waitForTimeout' --include='*.mjs' tests || true
    } | report "a test waits for an event, not for time"
}

rule_zookeeper() {
    includes "${code[@]}" -- zookeeper/zookeeper zookeeper.h |
        { grep -vE '^(src/zookeeper|testing/servers|bench|tests)/' || true; } |
        report "only src/zookeeper includes the C client"
}

rule_redis() {
    includes "${code[@]}" -- hiredis |
        { grep -vE '^(src/redis|bench|tests|examples)/' || true; } |
        report "only src/redis includes hiredis"
}

rule_sql() {
    includes "${code[@]}" -- sqlite3 libpq postgresql/ mysql mariadb |
        { grep -vE '^(src/(sql|admin|cli)|bench|tests|examples)/' || true; } |
        report "only src/sql includes the databases' clients"
}

rule_public_headers() {
    includes include -- zookeeper hiredis sqlite3 libpq mysql spdlog fmt/ boost |
        { grep -vE '^include/turnstile/(boost_asio|fmt).hpp:' || true; } |
        report "public headers include no third party"
}

# The project must not use internals of another project, because they may change with its next release.
rule_internals() {
    matches '(boost|fmt|asio|spdlog|nlohmann|CLI)(/[a-z_0-9]+)*/detail/|\b(boost|fmt|asio|spdlog|nlohmann)::([a-z_0-9]+::)*detail::' \
        "${code[@]}" | report "internals of another project"
}

# No recipe's header may include the coroutine forms or the types for writes under a hold, which are in separate
# headers.
rule_light_headers() {
    local heavy='acquisition_awaitable|async_call|completion_token|coroutine|asio|boost_asio|opentelemetry|prometheus|transaction|text|ostream|fmt|stop_any|turnstile'
    {
        matches '#include <(memory|coroutine|mutex|thread|ostream|iostream|format|variant)>' \
            include/turnstile/*.hpp | { grep -vE "^include/turnstile/($heavy)\\.hpp:" || true; }
        matches "#include \"turnstile/($heavy)\\.hpp\"" include/turnstile/*.hpp |
            { grep -vE "^include/turnstile/($heavy)\\.hpp:" || true; }
    } | report "a recipe's header stays light"
}

# turnstile.hpp must include every public header, except parts of other headers and the headers that its comment
# excludes.
rule_whole_header() {
    local whole=include/turnstile/turnstile.hpp header name
    for header in include/turnstile/*.hpp; do
        name=${header##*/}
        case $name in turnstile.hpp | callback.hpp | completion_token.hpp | metrics_handle.hpp | owned.hpp) continue ;; esac
        sed '/^#pragma once/q' "$whole" | grep -qw -e "$name" ||
            grep -qxF -e "#include \"turnstile/$name\"" "$whole" || echo "$header"
    done | report "not in turnstile.hpp"
}

# The core must have no threads, clocks, sockets or back ends. Recipes may use the client, which does their waiting, and
# no layer below the client.
rule_pure() {
    local impure=('thread>' 'mutex>' 'shared_mutex>' 'condition_variable>' 'ctime>' 'time.h' boost/thread
        spdlog sys/socket sys/epoll poll.h zookeeper hiredis local/ redis/ sql/)
    includes src/core -- "${impure[@]}" client/ recipe/ |
        report "the core has no threads, clocks, sockets or back end"
    includes src/recipe -- "${impure[@]}" |
        report "recipes have no threads, clocks, sockets or back end of their own"
    matches '(system|steady|high_resolution)_clock::now|\bclock_gettime' src/core src/recipe |
        report "recipes read boottime_clock and no other clock"
    matches '_clock::now' src/core |
        report "the core is told the time"
}

# A folder of src/ may include only itself and the folders before it in this list. The same rule holds for testing/ (the
# libraries for users' tests) and tests/verification (the code that checks simulations). Back ends may include no folder
# of the core except core/seam.
readonly layers=(support base core/seam core/lease core/queue core/contender core/session core/composite
    tls local guardian modules sql zookeeper redis client recipe/node recipe/lock recipe/operator recipe/deadlock recipe/election
    recipe/gate recipe/composite inspection servers simulation schedule deterministic verification
    admin admin/http admin/reading admin/access admin/api admin/server cli)
rule_layers() {
    {
        includes src/local src/sql src/zookeeper src/redis -- core/ | { grep -vE '"core/seam/' || true; }
        sources src testing tests/verification | xargs grep -nHE '^#include "' | awk -v layers="${layers[*]}" '
            BEGIN { count = split(layers, list, " "); for (i = 1; i <= count; ++i) place[list[i]] = i }
            function layer(path,  parts, depth) {
                depth = split(path, parts, "/")
                if (parts[1] == "admin" && (depth > 2 || parts[2] ~ /^server\./)) {
                    sub(/\..*/, "", parts[2])
                    return parts[1] "/" parts[2]
                }
                return (parts[1] == "core" || parts[1] == "recipe") ? parts[1] "/" parts[2] : parts[1]
            }
            {
                split($0, quoted, "\"")
                if (quoted[2] ~ /^turnstile\//) next
                split($0, named, ":")
                file = named[1]; sub(/^[a-z]+\//, "", file)
                from = layer(file); to = layer(quoted[2])
                if (!(from in place) || !(to in place) || place[to] > place[from]) print named[1] ":" named[2] ": " quoted[2]
            }'
    } | report "includes upwards"
    # The servers of the testing kit may use only public headers and src/support.
    {
        includes src -- servers/ simulation/ schedule/ deterministic/ verification/
        includes testing/servers -- admin/ base/ cli/ client/ core/ guardian/ inspection/ local/ modules/ recipe/ \
            redis/ sql/ tls/ zookeeper/
        includes src/redis src/sql -- local/ |
            { grep -vE '"local/(chroot|client_watches|preparation|znode_path)\.hpp"' || true; }
    } | report "may not be included here"
}

# The command and the admin page may include only public headers, src/support and their own headers. There are two
# exceptions. The command may include the headers of the page, which it serves. session_closing may include
# guardian/guardian_loop.hpp and client/guarded_end.hpp, because it closes the sessions of a dead run as the guardian's
# programs do.
rule_front_ends() {
    {
        matches '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src/admin |
            { grep -vE '"(turnstile|support|admin)/[^"]+"' || true; }
        matches '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src/cli |
            { grep -vE '"(turnstile|support|admin|cli)/[^"]+"|^src/cli/session_closing\.[ch]pp:.*"(guardian/guardian_loop|client/guarded_end)\.hpp"' || true; }
        matches "#[[:space:]]*include[[:space:]]*<($(cd src && echo */ | tr ' ' '|'))" src/admin src/cli
    } | report "no public header, and none of its own"
}

# Lua code must be in separate files, and each file must be a valid chunk. The build joins files to scripts
# (src/redis/CMakeLists.txt). A script may use only its own names and the names that the server defines. scripts/test
# installs luac.
with_includes() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^\ *--\ include\ \"([a-z_]+\.lua)\"$ ]]; then
            with_includes "${1%/*}/${BASH_REMATCH[1]}"
        else
            printf '%s\n' "$line"
        fi
    done <"$1"
}
readonly lua_names='ARGV|KEYS|bit|constants|ipairs|math|pairs|pcall|redis|select|string|struct|table|tonumber|tostring|type|unpack'
rule_lua() {
    local file
    matches 'R"lua' src | report "Lua stands in .lua files"
    command -v luac >/dev/null || return 0
    for file in src/*/lua/*.lua; do
        luac -p "$file" 2>&1 || true
    done | report "luac"
    for file in src/*/lua/*.lua; do
        ! grep -qF -e "-- include \"${file##*/}\"" "${file%/*}"/*.lua || continue
        with_includes "$file" | { luac -l -p - 2>&1 || true; } |
            sed -nE 's/.*[GS]ETGLOBAL.*; ([A-Za-z_]+)$/\1/p; s/^luac: /&/p' | sort -u |
            { grep -vxE -e "$lua_names" || true; } | sed "s|^|$file: |"
    done | report "a name that no script has"
}

# A header with its source is a "room". A reader must be able to understand a room without the rooms that need it.
rule_circles() {
    { python3 tests/style/circles.py || echo "tests/style/circles.py: no answer"; } | report "include circles"
}

# A class may have at most 45 members. A class that already has more may only lose members.
rule_members() {
    { python3 tests/style/declared_types.py members || echo "tests/style/declared_types.py: no answer"; } | report "take the class apart"
}

# Two types must not have the same name.
rule_type_names() {
    { python3 tests/style/declared_types.py names || echo "tests/style/declared_types.py: no answer"; } | report "one definition of a name"
}

# Readers search the first comments of headers for a class.
rule_named_classes() {
    { python3 tests/style/declared_types.py comments || echo "tests/style/declared_types.py: no answer"; } | report "name the class"
}

rule_script() {
    command -v shellcheck >/dev/null || return 0
    { shellcheck -x -P SCRIPTDIR -f gcc scripts/{test,bench,campaign,demo,docs,hunt,search,simulate,lib.sh} .ci/run tests/*/*.sh || true; } |
        report "shellcheck"
}

rule_spdx() {
    {
        sources "${code[@]}" | xargs grep -L '^// SPDX-License-Identifier: Apache-2.0$'
        page_sources | xargs grep -L 'SPDX-License-Identifier: Apache-2.0'
        # REUSE.toml covers the files that cannot contain a comment.
        git ls-files -- . ':!LICENSE' ':!*.md' ':!*.svg' ':!*.png' ':!*.json' ':!*.expected' ':!tests/fuzz/corpus' |
            xargs grep -L 'SPDX-License-Identifier: Apache-2.0'
    } | sort -u | report "no SPDX line"
}

# Releases of clang-format differ, so only the release of Debian 12 counts.
rule_format() {
    local version
    version=$(clang-format --version 2>/dev/null) || return 0
    [[ $version == *"version 14."* ]] || return 0
    sources "${code[@]}" | xargs -r clang-format --dry-run 2>&1 | { grep warning: || true; } |
        cut -d: -f1 | sort -u | report "clang-format -i mends it"
}

# The tests that docs/why/model-edges.md and threats.md name must exist. The pages write a test as `suite.case`, and a
# fault that tests/campaign causes as `campaign: kind`. The rule ignores the part of a kind after a plus sign.
# shellcheck disable=SC2016  # the backticks are the page's
rule_model_edges() {
    local page=docs/why/model-edges.md tests name
    tests=$(sources tests | xargs cat | tr '\n' ' ' | tr -s ' ' |
        sed -E 's/(TEST(_F|_P)?)\( ?/\n\1 /g' | sed -nE 's/^TEST[_FP]* ([a-z0-9_A-Z]+), ([a-z0-9_A-Z]+).*/\1.\2/p')
    {
        grep -h '^|' "$page" docs/why/threats.md | grep -oE '`[a-zA-Z0-9_]+\.[A-Za-z0-9_]+`' | tr -d '`' | grep -vE '\.(cpp|hpp|md|py|maxbuffer)$' |
            while IFS= read -r name; do
                grep -qxF -e "$name" <<<"$tests" || echo "$page: $name"
            done
        grep '^|' "$page" | grep -oE '`campaign: [a-z+-]+`' | tr -d '`' | sed 's/campaign: //; s/+.*//' |
            while IFS= read -r name; do
                grep -qF -e "\"$name\"" tests/campaign/nemeses.py || echo "$page: campaign: $name"
            done
    } | report "no such test"
}

# docs/reference/failures.md must explain each failure code (F1, F28) that the tree mentions. The tests and mutants that
# the page names must exist. In the TOML files of mutants (faulty versions of the sources), the key `rows` must list
# codes and pages, and no numbered sections.
# shellcheck disable=SC2016  # the backticks are the page's
rule_failures() {
    local page=docs/reference/failures.md mutants=docs/reference/mutants.md name
    {
        grep -rnowE --include='*.[ch]pp' --include='*.md' --include='*.py' --include='*.toml' --include='*.sh' -e 'F[0-9]{1,2}' \
            "${code[@]}" docs scripts cmake README.md CHANGELOG.md |
            while IFS= read -r name; do
                grep -qxF -e "### ${name##*:}" "$page" || echo "$name"
            done
        { grep -rnE --include='*.toml' '^rows = .*(section [0-9]|design)' tests/simulation || true; }
        awk '/^### |^## /{mutants = 0} /mutants?( |$)/{mutants = 1; sub(/.*mutants?( |$)/, "")} mutants' "$page" |
            { grep -oE '`[a-z0-9_]+`' || true; } | tr -d '`' | sort -u |
            while IFS= read -r name; do
                grep -qE -e "^    $name(:|$)" "$mutants" || echo "$page: $name"
            done
    } | report "no entry of failures.md, or a test or mutant that is not there"
}

# README.md is read first, so it must be short, and its lines must fit on a screen. In other pages only tables and the
# output of programs may have longer lines.
rule_documents() {
    local most=120 lines
    {
        lines=$(wc -l <README.md)
        ((lines <= 180)) || echo "README.md:$lines lines"
        awk -v most=$most 'length > most { print FILENAME ":" FNR }' README.md CONTRIBUTING.md docs/README.md
        find CHANGELOG.md bench docker docs testing tests -name '*.md' ! -name benchmarks.md ! -name comparison.md \
            -exec awk -v most=$most '
            FNR == 1 { printed = 0 }
            /^```/ { printed = !printed }
            length > most && !printed && !/^[|] / && !/^    / { print FILENAME ":" FNR }' {} +
    } | report "longer than $most characters, or README.md than 180 lines"
}

# Each line of a block that begins with "```cpp FILE" must be in that file, because the tests compile the file.
rule_page_code() {
    local page
    while IFS= read -r page; do
        awk '
            /^```cpp ./ {
                file = $2
                if (!(file in is_read)) {
                    is_read[file] = 1
                    while ((getline line < file) > 0) { sub(/^ +/, "", line); known[file, line] = 1 }
                    close(file)
                }
                next
            }
            /^```/ { file = "" }
            file != "" && NF { line = $0; sub(/^ +/, "", line); if (!((file, line) in known)) print FILENAME ":" FNR }
        ' "$page"
    done < <(find docs -name '*.md' | sort) | report "no such line in the program that the block names"
}

# A link to a page must lead to an existing page, and a link to a heading must lead to an existing heading.
rule_links() {
    local page link file heading
    find README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs bench docker testing tests -name '*.md' -print0 | sort -z |
        xargs -0 grep -noHE '\]\([^) ]+\)' |
        while IFS=: read -r page line link; do
            link=${link#*(} && link=${link%)}
            [[ $link =~ ^[a-z]+: ]] && continue
            file=${link%%#*}
            if [[ -n $file ]]; then file=$(dirname "$page")/$file; else file=$page; fi
            [[ -e $file ]] || echo "$page:$line"
            [[ $link == *#* && -f $file ]] || continue
            heading=$(sed -nE 's/^#+ //p' "$file" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 _\n-' | tr ' ' '-')
            grep -qxF -e "${link#*#}" <<<"$heading" || echo "$page:$line"
        done | report "a link that leads nowhere"
}

# The site draws the state table of a header that a page names (site/drawing.py).
rule_states() {
    sed -nE 's/^<!-- states: (.*) -->$/\1/p' docs/*/*.md | PYTHONPATH=site python3 -c '
import sys
import drawing
for header in sys.stdin.read().split():
    with open(header, encoding="utf-8") as source:
        if not drawing.transitions(*drawing.table(source.read())):
            print(header)
' | report "no table of states that the site can draw"
}

# docs/reference/architecture.md and walk.md describe the tree. The files and folders that these pages name must exist
# below the root, src or include/turnstile. A file without a folder may be anywhere.
# shellcheck disable=SC2016  # the backticks are the page's
rule_paths() {
    local page line name
    grep -noE '`[A-Za-z0-9_.*/-]+`' docs/reference/architecture.md docs/reference/walk.md | tr -d '`' |
        { grep -E ':[a-z0-9][^:]*(/|\.[ch]pp$)[^:]*$' || true; } |
        while IFS=: read -r page line name; do
            compgen -G "$name" >/dev/null || compgen -G "src/$name" >/dev/null ||
                compgen -G "include/turnstile/$name" >/dev/null ||
                { [[ $name != */* ]] && git ls-files --error-unmatch "*/$name" >/dev/null 2>&1; } ||
                echo "$page:$line:$name"
        done | report "no such file"
}

# Each public symbol must have a comment for Doxygen. The packages of scripts/test do not include Doxygen, so the rule
# may be skipped.
rule_descriptions() {
    if ! command -v doxygen >/dev/null; then
        echo "descriptions: skipped, because doxygen is not installed (scripts/docs installs it)" >&2
        [[ ${rules[*]} != descriptions ]] || exit 77
        return 0
    fi
    { scripts/docs --check 2>&1 || true; } | report "no comment describes it"
}

# A sentence of a page may have at most 30 words, and must not contain a phrase that only this project's authors
# understand.
rule_sentences() {
    { git ls-files -- '*.md' | xargs python3 tests/style/sentences.py length ||
        echo "tests/style/sentences.py: no answer"; } | report "more than 30 words: make it two sentences"
}

# All rows of a table must have the same number of cells, and no blank line may divide a table.
rule_tables() {
    { git ls-files -- '*.md' | xargs python3 tests/style/tables.py || echo "tests/style/tables.py: no answer"; } |
        report "a table that a reader sees broken"
}

rule_dialect() {
    { git ls-files -- '*.md' | xargs python3 tests/style/sentences.py words ||
        echo "tests/style/sentences.py: no answer"; } | report "name the actor or the noun, or use the field's word"
}

# A private comment must have a subject and a verb, and no word that only this project's authors understand. The list of
# folders that are not revised yet may only become shorter.
rule_comments() {
    { git ls-files -- '*.cpp' '*.hpp' '*.py' '*.sh' | grep -v '^tests/style/samples' |
        xargs python3 tests/style/comments.py tests/style/unrevised_comments.txt ||
        echo "tests/style/comments.py: no answer"; } | report "begin with the subject, or use the field's word"
}

# docs/reference/troubleshooting.md must explain each line of the log.
rule_log_lines() {
    { sources src | xargs python3 tests/style/log_lines.py docs/reference/troubleshooting.md ||
        echo "tests/style/log_lines.py: no answer"; } |
        report "a line of the log that docs/reference/troubleshooting.md does not explain"
}

# The subject of a sentence must be a noun: the waiter, the session, another client. In a folder at most 1 % of the
# lines may have a word that leaves the subject open. docs/reference/glossary.md lists the nouns.
readonly plain=(include/turnstile src examples testing
    tests/unit tests/client tests/recipe tests/simulation tests/integration tests/campaign tests/contract
    tests/explore tests/interop tests/kit tests/fuzz tests/demo tests/verification bench demo)
# shellcheck disable=SC2016  # the expressions are awk's
readonly riddles='
    function look(text) {
        text = " " tolower(text) " "
        gsub(/no such/, "", text)  # the wording of servers
        if (text ~ /[^a-z_`](who|whoever|whom|nobody|somebody|anybody|everybody|such)[^a-z_`]/)
            found[++riddles] = FILENAME ":" FNR
        ++lines
    }
    END { if (riddles * 100 > lines) for (i = 1; i <= riddles; ++i) print found[i] }'
# shellcheck disable=SC2016
rule_plain_words() {
    local folder
    {
        for folder in "${plain[@]}"; do
            sources "$folder" | xargs awk 'match($0, /(^|[^:"])\/\/ */) { look(substr($0, RSTART + RLENGTH)) }'"$riddles"
        done
        find docs README.md CONTRIBUTING.md SECURITY.md -name '*.md' -exec awk '/[a-z]/ { look($0) }'"$riddles" {} +
    } | report "what is meant? Of 100 lines at most one leaves that open"
}

# Names of variables, members and functions must be nouns or verbs. The rule ignores comments, strings, the standard
# library's `what()`, and the public member `who` of an operator's order.
# shellcheck disable=SC2016  # the program is awk's
rule_nouns() {
    sources "${code[@]}" | xargs awk '
        function without_raw_strings(text,  code) {
            for (;;) {
                if (until != "") {
                    if (!index(text, until)) return code
                    text = substr(text, index(text, until) + length(until))
                    until = ""
                }
                if (!match(text, /R"[a-z]*\(/)) return code text
                until = ")" substr(text, RSTART + 2, RLENGTH - 3) "\""
                code = code substr(text, 1, RSTART - 1)
                text = substr(text, RSTART + RLENGTH)
            }
        }
        FNR == 1 { until = "" }
        {
            text = without_raw_strings($0)
            gsub(/\047\\?.\047/, "", text)
            gsub(/\\./, "", text)
            gsub(/"[^"]*"/, "", text)
            gsub(/\/\*[^*]*\*\//, "", text)
            sub(/\/\/.*/, "", text)
            gsub(/what\(\)|(\.|->)who/, "", text)
            if (FILENAME ~ /^include\//) gsub(/std::string who/, "", text)
            if ((" " text " ") ~ /[^A-Za-z0-9_](one|what|who|whom|made)_?[^A-Za-z0-9_]/) print FILENAME ":" FNR
        }' | report "a name is a noun or a verb"
}

# names <text>... prints the words with an underscore, which occur only in code.
names() {
    grep -IoE '[A-Za-z0-9_]+' "$@" | grep '_' | sort -u
}

# Every name of code in docs/why must exist in the code. The name of a ctest test consists of its folder and its file.
rule_names() {
    local known
    known=$(mktemp)
    {
        names -rh src include testing tests bench scripts cmake CMakeLists.txt
        find src include testing tests bench scripts -type f -printf '%f\n' | sed 's/\..*//'
        printf '%s\n' extra_lock_patterns # kazoo's
    } | sort -u >"$known"
    find docs/why docs/reference/architecture.md docs/reference/glossary.md -name '*.md' -print0 |
        xargs -0 grep -noHE "\`[^\`]+\`" |
        sed -E 's/^([^:]*:[0-9]*):/\1 /' |
        awk -v known="$known" '
            BEGIN { while ((getline word < known) > 0) is_known[word] = 1 }
            {
                place = $1
                $1 = ""
                text = $0
                while (match(text, /[a-z][a-z0-9]*(_[a-z0-9]+)+_?[*$<]?/)) {
                    word = substr(text, RSTART, RLENGTH)
                    before = RSTART == 1 ? "" : substr(text, RSTART - 1, 1)
                    text = substr(text, RSTART + RLENGTH)
                    if (word ~ /[_*$<]$/ || before ~ /[A-Za-z0-9_$*>-]/) continue
                    file = word
                    sub(/^(integration|interop|contract|recipe|client|unit|failover)_/, "", file)
                    if (!(word in is_known || file in is_known || (file "_test") in is_known)) print place " " word
                }
            }' | report "no such name in the code"
    rm -f "$known"
}

# A commit's subject must not be longer than git shows in a list of commits. The rule checks the commits after `first`.
# If `first` is missing (in an archive or a shallow clone), the rule checks nothing.
rule_subjects() {
    local first=b51b3cfbf000
    git cat-file -e "$first^{commit}" 2>/dev/null || return 0
    git log --no-merges --format='%h %s' "$first..HEAD" | awk 'length($0) - length($1) - 1 > 72' |
        report "a commit's subject longer than 72 characters"
}

rules=("$@")
if ((${#rules[@]} == 0)); then
    rules=(length left_over sleep zookeeper redis sql public_headers internals light_headers whole_header pure layers front_ends circles members type_names named_classes lua spdx script format model_edges failures documents page_code links states paths descriptions sentences tables dialect comments log_lines plain_words nouns names subjects)
fi
shopt -s lastpipe
for rule in "${rules[@]}"; do
    [[ $(type -t "rule_$rule") == function ]] || {
        echo "check.sh: no rule '$rule'" >&2
        exit 2
    }
    "rule_$rule"
done
((violations == 0)) || {
    echo "$violations violations"
    exit 1
}
