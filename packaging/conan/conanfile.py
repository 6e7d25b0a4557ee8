# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2, in the tree of the sources: conan create packaging/conan -o "turnstile/*:redis=True"."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

KINDS = ("tls", "redis", "sqlite", "postgresql", "mariadb")


class Turnstile(ConanFile):
    name = "turnstile"
    license = "Apache-2.0"
    description = "Fair distributed locks on Apache ZooKeeper, Redis, PostgreSQL, MariaDB and SQLite"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "spdlog": [True, False], "testing": [True, False],
               **{kind: [True, False] for kind in KINDS}}
    default_options = {"shared": False, "spdlog": False, "testing": False, **{kind: False for kind in KINDS}}

    def set_version(self):
        with open(os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"), encoding="utf-8") as project:
            self.version = re.search(r"^    VERSION ([0-9.]+)$", project.read(), re.MULTILINE).group(1)

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        for part in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "docs/*", "include/*",
                     "packaging/*", "src/*", "testing/*"):
            copy(self, part, src=tree, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74]")
        self.requires("fmt/[>=9]")
        self.requires("zookeeper-client-c/[>=3.8]")
        if self.options.spdlog:
            self.requires("spdlog/[>=1.10]")
        if self.options.redis:
            self.requires("hiredis/[>=0.14]")
        if self.options.tls:
            self.requires("openssl/[>=1.1.1]")
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.35]")
        if self.options.postgresql:
            self.requires("libpq/[>=14]")
        if self.options.mariadb:
            self.requires("mariadb-connector-c/[>=3.1]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["TURNSTILE_UNITY_BUILD"] = True
        for part in ("TESTS", "EXAMPLES", "DEMO", "BENCH", "CLI"):
            toolchain.variables[f"TURNSTILE_BUILD_{part}"] = False
        toolchain.variables["TURNSTILE_BUILD_TESTING"] = bool(self.options.testing)
        toolchain.variables["TURNSTILE_WITH_SASL"] = False
        toolchain.variables["TURNSTILE_WITH_SPDLOG"] = bool(self.options.spdlog)
        for kind in KINDS:
            toolchain.variables[f"TURNSTILE_WITH_{kind.upper()}"] = bool(self.options.get_safe(kind))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Consumers use Turnstile's own CMake package files, which know the modules and their link options.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "turnstile"))
