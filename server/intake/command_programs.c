/*
 * command_programs.c - the programs, modules and images that start engines, and what wraps them.
 */
#include "command_parts.h"

#include <ctype.h>
#include <string.h>

/* What is known here ----------------------------------------------------------------------------
 */

static const char CLIENT[] = "a client or a benchmark, not the server that is planned: give the "
                             "command that starts the server";
static const char NO_TEXT_SERVER[] = "starts no language model server that is planned here";

static const struct command_starter PROGRAMS[] = {
    {"vllm", "serve", &COMMAND_VLLM, true, NULL},
    {"vllm", "bench", &COMMAND_VLLM, true, CLIENT},
    {"vllm", "chat", &COMMAND_VLLM, true, CLIENT},
    {"vllm", "complete", &COMMAND_VLLM, true, CLIENT},
    {"vllm", "run-batch", &COMMAND_VLLM, true, CLIENT},
    {"sglang", "serve", &COMMAND_SGLANG, true, NULL},
    {"llama-server", NULL, &COMMAND_LLAMA, false, NULL},
    {"llama-cli", NULL, &COMMAND_LLAMA, false, NULL},
    {"llama-bench", NULL, &COMMAND_LLAMA_BENCH, false, NULL},
    {"llama-batched-bench", NULL, &COMMAND_LLAMA, false, NULL},
    {"llama-mtmd-cli", NULL, &COMMAND_LLAMA, false, NULL},
    {"llama", "serve", &COMMAND_LLAMA, true, NULL},
    {"llama", "server", &COMMAND_LLAMA, true, NULL},
    {"llama", "cli", &COMMAND_LLAMA, true, NULL},
    {"./server", NULL, &COMMAND_LLAMA, false, NULL},
    {"./main", NULL, &COMMAND_LLAMA, false, NULL},
    {"trtllm-serve", "serve", &COMMAND_TRTLLM, true, NULL},
    {"trtllm-serve", "disaggregated", &COMMAND_TRTLLM, true,
     "starts the router of servers that are described in a file: give one server's command"},
    {"trtllm-serve", "mm_embedding_serve", &COMMAND_TRTLLM, true, NO_TEXT_SERVER},
    {"trtllm-serve", NULL, &COMMAND_TRTLLM, false, NULL},
    {"trtllm-bench", NULL, &COMMAND_TRTLLM, false, NULL},
    {"text-generation-launcher", NULL, &COMMAND_TGI, false, NULL},
    {"mlx_lm.server", NULL, &COMMAND_MLX, false, NULL},
    {"mlx_lm.generate", NULL, &COMMAND_MLX, false, NULL},
    {"mlx_lm.chat", NULL, &COMMAND_MLX, false, NULL},
    {"mlx_lm", "server", &COMMAND_MLX, true, NULL},
    {"mlx_lm", "generate", &COMMAND_MLX, true, NULL},
    {"mlx_lm", "chat", &COMMAND_MLX, true, NULL},
    {"ollama", "serve", &COMMAND_OLLAMA, true, NULL},
    {"ollama", "start", &COMMAND_OLLAMA, true, NULL},
    {"ollama", "run", &COMMAND_OLLAMA, true, NULL},
    {"vllm.entrypoints.openai.api_server", NULL, &COMMAND_VLLM, false, NULL},
    {"vllm.entrypoints.api_server", NULL, &COMMAND_VLLM, false, NULL},
    {"vllm.entrypoints.cli.main", "serve", &COMMAND_VLLM, true, NULL},
    {"vllm.entrypoints.openai.run_batch", NULL, &COMMAND_VLLM, false, CLIENT},
    {"sglang.launch_server", NULL, &COMMAND_SGLANG, false, NULL},
    {"sglang_router.launch_server", NULL, &COMMAND_SGLANG, false, NULL},
    {"sglang.bench_serving", NULL, &COMMAND_SGLANG, false, CLIENT},
    {"sglang.bench_one_batch", NULL, &COMMAND_SGLANG, false, CLIENT},
    {"sglang.bench_offline_throughput", NULL, &COMMAND_SGLANG, false, CLIENT},
    {"tensorrt_llm.commands.serve", "serve", &COMMAND_TRTLLM, true, NULL},
    {"tensorrt_llm.commands.serve", NULL, &COMMAND_TRTLLM, false, NULL},
    {"lmdeploy", NULL, NULL, false, "LMDeploy's flags are not known here"},
    {"aphrodite", NULL, NULL, false, "Aphrodite's flags are not known here"},
    {"llama_cpp.server", NULL, NULL, false,
     "llama-cpp-python's flags are not known here: give the same settings as a llama-server "
     "command or as a deployment"},
    {"tritonserver", NULL, NULL, false, "Triton's model repository is not known here"},
    {"lms", NULL, NULL, false, "LM Studio's settings are not known here"},
    {"koboldcpp", NULL, NULL, false, "KoboldCpp's flags are not known here"},
};

/* Programs that start what stands behind them. */
static const char *const WRAPPERS[] = {
    "accelerate",
    "apptainer",
    "builtin",
    "caffeinate",
    "catatonit",
    "chrt",
    "chroot",
    "command",
    "conda",
    "docker",
    "do",
    "doas",
    "dumb-init",
    "else",
    "enroot",
    "env",
    "exec",
    "flatpak-spawn",
    "gosu",
    "hatch",
    "ionice",
    "kubectl",
    "mamba",
    "micromamba",
    "mpiexec",
    "mpirun",
    "ncu",
    "nerdctl",
    "nice",
    "nohup",
    "nsys",
    "numactl",
    "oc",
    "pdm",
    "pipenv",
    "pipx",
    "pixi",
    "podman",
    "poetry",
    "prlimit",
    "proxychains4",
    "py-spy",
    "ray",
    "rocprof",
    "rocprofv3",
    "runuser",
    "rye",
    "screen",
    "setsid",
    "singularity",
    "srun",
    "ssh",
    "start",
    "stdbuf",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemd-run",
    "taskset",
    "then",
    "time",
    "timeout",
    "tini",
    "tmux",
    "toolbox",
    "torchrun",
    "trtllm-llmapi-launch",
    "unshare",
    "uv",
    "uvx",
    "watch",
    "while",
    "if",
    "{",
    "!",
};

static const char *const SHELL_NAMES[] = {"sh", "bash", "zsh", "dash", "ash", "ksh"};

const char *command_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *other = strrchr(slash ? slash : path, '\\');

    return other ? other + 1 : slash ? slash + 1 : path;
}

bool command_listed(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(word, list[i]) == 0)
            return true;
    }
    return false;
}

/* "python", "python3", "python3.11", "pypy3". */
static bool is_python(const char *base)
{
    size_t length = strncmp(base, "python", 6) == 0 ? 6 : strncmp(base, "pypy", 4) == 0 ? 4 : 0;

    return length && strspn(base + length, "0123456789.") == strlen(base + length);
}

bool command_is_shell(const char *word)
{
    return command_listed(command_base_name(word), SHELL_NAMES, ARRAY_LEN(SHELL_NAMES));
}

bool command_wraps(const char *word)
{
    const char *base = command_base_name(word);
    size_t length = strlen(base);

    return command_listed(base, WRAPPERS, ARRAY_LEN(WRAPPERS)) || command_is_shell(word) ||
           is_python(base) || (length > 3 && strcmp(base + length - 3, ".sh") == 0);
}

/* A word as a program's name: without directories and ".exe"; "server" and "main" are common names
 * and need theirs. */
static bool is_program(const char *word, const char *name)
{
    const char *base = command_base_name(word);
    size_t length = strlen(name);

    if (strncmp(name, "./", 2) == 0)
        return base != word && strcmp(base, name + 2) == 0;
    if (strncmp(base, name, length) != 0)
        return false;
    return !base[length] || strcmp(base + length, ".exe") == 0;
}

/* The row that words[i] and what follows are; NULL when none. */
const struct command_starter *command_starter(const char *const *words, int n, int i)
{
    for (size_t row = 0; row < ARRAY_LEN(PROGRAMS); row++) {
        const struct command_starter *starter = &PROGRAMS[row];
        if (!is_program(words[i], starter->name))
            continue;
        if (!starter->verb || (i + 1 < n && strcmp(words[i + 1], starter->verb) == 0))
            return starter;
    }
    return NULL;
}

struct image_name {
    const char *part;
    const struct command_engine *engine;
};

/* Of an image's path without its registry and tag. */
static const struct image_name IMAGES[] = {
    {"text-generation-inference", &COMMAND_TGI},
    {"tensorrt-llm", &COMMAND_TRTLLM},
    {"tensorrtllm", &COMMAND_TRTLLM},
    {"llama.cpp", &COMMAND_LLAMA},
    {"llama-cpp", &COMMAND_LLAMA},
    {"llamacpp", &COMMAND_LLAMA},
    {"sglang", &COMMAND_SGLANG},
    {"vllm", &COMMAND_VLLM},
    {"ollama", &COMMAND_OLLAMA},
};

/* What stands beside the servers of a maker, in images of names like theirs. */
static const char *const HELPERS[] = {"router",  "gateway", "operator",  "controller", "exporter",
                                      "sidecar", "proxy",   "scheduler", "webui",      "benchmark"};

/* Where the tag begins, behind the colon that is no port's; NULL without one. */
static const char *image_tag(const char *image)
{
    const char *slash = strrchr(image, '/');
    const char *colon = strchr(slash ? slash : image, ':');

    return colon ? colon + 1 : NULL;
}

const struct command_engine *command_image_engine(const char *image)
{
    const char *tag = image_tag(image);
    size_t length = tag ? (size_t)(tag - image) : strlen(image);

    for (size_t i = 0; i < ARRAY_LEN(HELPERS); i++) {
        const char *at = strstr(command_base_name(image), HELPERS[i]);
        if (at && at < image + length)
            return NULL;
    }
    for (size_t i = 0; i < ARRAY_LEN(IMAGES); i++) {
        const char *at = strstr(image, IMAGES[i].part);
        if (at && at < image + length)
            return IMAGES[i].engine;
    }
    return NULL;
}

/* "v0.10.1" of "v0.10.1-cu128", "b6000" of "server-cuda-b6000"; "latest" says nothing, nor does
 * the release of a container with Python in it, "25.09-py3". */
const char *command_image_version(struct arena *arena, const char *image)
{
    const char *tag = image_tag(image);

    if (tag && strstr(tag, "-py3"))
        return NULL;
    for (; tag && *tag; tag += strcspn(tag, "-_"), tag += *tag != '\0') {
        const char *digits = tag + (*tag == 'v' || *tag == 'b');
        size_t length = strspn(digits, "0123456789.");
        bool dotted = memchr(digits, '.', length) != NULL;
        size_t whole = strcspn(tag, "-_@");
        if (length && (dotted || (*tag == 'b' && length > 2)))
            return arena_copy(arena, tag + (*tag == 'v'), whole - (*tag == 'v'));
    }
    return NULL;
}
