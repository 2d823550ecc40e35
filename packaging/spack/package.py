# SPDX-License-Identifier: MIT
# A Spack recipe. Untested: Spack has not run it. Copy it to packages/uat/package.py in your own repository.
from spack.package import *


class Uat(MesonPackage):
    """uat (uni-address threads): distributed fork-join with work stealing by one-sided InfiniBand verbs."""

    license("MIT")
    version("0.2.0")

    variant("verbs", default=True, description="Transport over InfiniBand verbs")
    variant("tools", default=True, description="uat_info, the benchmarks and the applications")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("pmix@4:")
    depends_on("numactl")
    depends_on("rdma-core", when="+verbs")
    depends_on("json-c", when="+tools")
    depends_on("nettle", when="+tools")
    depends_on("python@3.9:", type="run", when="+tools")

    requires("%gcc@12:", "%clang@14:", policy="one_of")
    requires("target=x86_64:")
    conflicts("platform=darwin")

    def meson_args(self):
        def feature(name, enabled):
            return f"-D{name}={'enabled' if enabled else 'disabled'}"

        tools = self.spec.satisfies("+tools")
        return [feature("ibv", self.spec.satisfies("+verbs")), feature("tools", tools), feature("benchmarks", tools),
                feature("tests", False)]
