# SPDX-License-Identifier: Apache-2.0
"""Builds a program with the package, and runs it. `conan create packaging/conan` runs this test."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Test(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def modules(self):
        options = self.dependencies["turnstile"].options
        return [kind for kind in ("tls", "redis", "sqlite", "postgresql", "mariadb") if options.get_safe(kind)]

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["MODULES"] = ";".join(self.modules())
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            program = os.path.join(self.cpp.build.bindir, "hold")
            self.run(" ".join([program, *self.modules()]), env="conanrun")
