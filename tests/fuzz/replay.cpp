// SPDX-License-Identifier: Apache-2.0
// Replaces libFuzzer's main(): runs the fuzz target on each file of the corpus, and then on mutations of the files. The
// mutations use a fixed seed, so that a second run repeats each failure.
//
//     fuzz_target [-runs=N] [-seed=N] <corpus folder or file>...

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using bytes = std::vector<std::uint8_t>;

constexpr std::size_t k_largest_input = 4096;
constexpr unsigned k_most_edits = 8;

bytes read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
}

void add_inputs(const fs::path& path, std::vector<bytes>& inputs) {
    if (!fs::is_directory(path)) {
        inputs.push_back(read_file(path));
        return;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{path}) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the order of files differs between machines
    for (const auto& file : files) {
        inputs.push_back(read_file(file));
    }
}

void edit_once(bytes& input, std::mt19937_64& random) {
    const auto byte = static_cast<std::uint8_t>(random());
    const auto at = [&] { return static_cast<std::ptrdiff_t>(random() % input.size()); };
    if (input.empty() || (random() % 3 == 0 && input.size() < k_largest_input)) {
        const auto end = input.size() + 1;
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(random() % end), byte);
    } else if (random() % 2 == 0) {
        input.erase(input.begin() + at());
    } else {
        input[static_cast<std::size_t>(at())] = byte;
    }
}

bool is_option(std::string_view argument, std::string_view name, std::uint64_t& value) {
    if (!argument.starts_with(name)) {
        return false;
    }
    value = std::stoull(std::string{argument.substr(name.size())});
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    std::uint64_t runs = 0;
    std::uint64_t seed = 1;
    std::vector<bytes> inputs{{}};
    for (int i = 1; i < count; ++i) {
        const std::string_view argument{arguments[i]};
        if (!is_option(argument, "-runs=", runs) && !is_option(argument, "-seed=", seed)) {
            add_inputs(argument, inputs);
        }
    }
    for (const auto& input : inputs) {
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::mt19937_64 random{seed};
    for (std::uint64_t run = 0; run < runs; ++run) {
        bytes input = inputs[random() % inputs.size()];
        for (auto edits = 1 + random() % k_most_edits; edits > 0; --edits) {
            edit_once(input, random);
        }
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu inputs, %llu mutations\n", inputs.size(),
                static_cast<unsigned long long>(runs));
}
