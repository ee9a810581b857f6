"""A fuzz target has one entry function, which libFuzzer calls with what it thinks of, and an ordinary test with the files of the tree."""

def fuzz_target(name, deps, json = True):
    """Of NAME_fuzz.cc and testdata/corpus/NAME: the program NAME_fuzz, for --config=fuzz, and the test NAME_corpus_test.

    With json, whole values of the inputs are changed, not bytes only.
    """
    native.cc_library(
        name = name + "_fuzz_entry",
        testonly = True,
        srcs = [name + "_fuzz.cc"],
        deps = deps + ["//transport:fuzz_entry"],
        alwayslink = True,
    )
    native.cc_binary(
        name = name + "_fuzz",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzz",
            "manual",
        ],
        deps = [":" + name + "_fuzz_entry"] + (["//transport:fuzz_mutator"] if json else []),
    )
    native.cc_test(
        name = name + "_corpus_test",
        size = "small",
        data = native.glob(["testdata/corpus/" + name + "/*"]),
        deps = [
            ":" + name + "_fuzz_entry",
            "//transport:corpus_replay",
        ],
    )
