/* The shapes of measured profiles. */
#include "attribute_reply.h"
#include "openapi_rows.h"
#include "profile_formats.h"

static const char *format_at(int index)
{
    return index < N_PROFILE_FORMATS ? PROFILE_FORMATS[index].name : NULL;
}

static const char *phase_at(int index)
{
    return run_phase_name((enum run_phase)index);
}

static const char *kernel_class_at(int index)
{
    return kernel_class_name((enum kernel_class)index);
}

static const char *planner_class_at(int index)
{
    return class_name((enum class_id)index);
}

static const char *host_part_at(int index)
{
    return host_part_name((enum host_part)index);
}

static const char *basis_at(int index)
{
    return basis_name((enum basis)index);
}

#define KERNEL_CLASSES KERNEL_UNCLASSIFIED

static const struct schema_member ATTRIBUTION[] = {
    ENUM("format", 0, format_at, SCHEMA_UNTIL_NULL, "what the file is"),
    ENUM("phase", 0, phase_at, RUN_PHASES, NULL),
    TEXT("refused", NULLABLE, "why the file cannot tell; then there are no shares"),
    NUMBER("span_us", NULLABLE, "the window"),
    NUMBER("busy_us", NULLABLE, "in it, the union of kernels, copies and fills on all streams"),
    NUMBER("idle_us", NULLABLE, "the rest of it"),
    NUMBER("sum_us", NULLABLE, "sum of durations, which overlap counts twice; shares are of it"),
    NUMBER("overlap_share", NULLABLE, "of the sum that runs beside others"),
    NUMBER("steps", NULLABLE, "in the window; null: unknown"),
    ENUM("dominant", NULLABLE, kernel_class_at, KERNEL_CLASSES, "the class with the most time"),
    NUMBER("covered_share", NULLABLE, "of all device time that was listed and got a class"),
    NUMBER("listed_share", NULLABLE, "of all device time that the rows of the file hold"),
    NUMBER("excluded_us", 0, "of kernels that run when a model is loaded: in no share"),
    OBJECT("shares", LIST, "AttributedShare"),
    OBJECT("unclassified", LIST, "UnclassifiedKernel"),
    NUMBER("unclassified_share", NULLABLE, NULL),
    OBJECT("host", 0, "AttributedHost"),
    OBJECT("budget", 0, "AttributionBudget"),
    OBJECT("parts", LIST, "AttributedPart"),
    OBJECT("runs", LIST, "AttributedRun"),
    OBJECT("window", 0, "AttributionWindow"),
    ANYTHING("conditions", 0,
             "what the run was: model, hardware, engine, batch, context, phase, tp, ranks and "
             "steps, each {value, from}: query, file or assumed"),
    TEXT("warnings", LIST, NULL),
};

static const struct schema_member SHARE[] = {
    ENUM("class", 0, kernel_class_at, KERNEL_CLASSES, NULL),
    NUMBER("us", NULLABLE, "in the whole window"),
    NUMBER("share", 0, NULL),
    NUMBER("kernels", NULLABLE, "launches"),
    OBJECT("names", LIST, "AttributedName"),
    NUMBER("budget_us", NULLABLE, "of one step, of all classes in budget_with"),
    NUMBER("budget_share", NULLABLE, NULL),
    ENUM("budget_classes", LIST, planner_class_at, CLASS_COUNT, "of the planner"),
    ENUM("budget_with", NULL_LIST | LIST, kernel_class_at, KERNEL_CLASSES,
         "classes that share this budget; null: it stands alone"),
};

static const struct schema_member NAME[] = {
    TEXT("name", 0, "as the profiler printed it"),
    NUMBER("us", NULLABLE, NULL),
    NUMBER("share", 0, NULL),
    NUMBER("launches", NULLABLE, NULL),
    BOOLEAN("ambiguous", 0, "the name alone does not say it: the class is the likeliest"),
};

static const struct schema_member UNCLASSIFIED[] = {
    TEXT("name", 0, NULL),
    NUMBER("us", NULLABLE, NULL),
    NUMBER("share", 0, NULL),
};

static const struct schema_member HOST[] = {
    NUMBER("idle_us", NULLABLE, "of the device, which is the host's"),
    NUMBER("share", NULLABLE, "of the window"),
    NUMBER("budget_us", NULLABLE, "what the planner does not hide behind the device, a step"),
    OBJECT("parts", LIST, "AttributedHostPart"),
    TEXT("no_record", NULLABLE, "why there are no parts"),
    OBJECT("calls", LIST, "AttributedCalls"),
};

static const struct schema_member HOST_PART[] = {
    ENUM("part", 0, host_part_at, HOST_PARTS, "what the host did while the device was idle"),
    NUMBER("us", 0, NULL),
    NUMBER("share", 0, "of the window"),
};

static const struct schema_member CALLS[] = {
    TEXT("call", 0, "launch, graph_launch, memcpy, sync or other"),
    NUMBER("calls", 0, NULL),
    NUMBER("us", 0, "on the host, in all of the recording"),
};

static const struct schema_member BUDGET[] = {
    TEXT("no_record", NULLABLE, "why there is no budget"),
    TEXT("of", NULLABLE, "what was planned"),
    NUMBER("step_us", NULLABLE, "one step, the host's share included"),
    NUMBER("device_us", NULLABLE, "its device and link classes"),
    ENUM("basis", NULLABLE, basis_at, BASIS_COUNT, NULL),
    TEXT("ratios_are_of", 0, "times, or shares where the number of steps is unknown"),
    OBJECT("compared", LIST, "AttributionComparison"),
};

static const struct schema_member COMPARISON[] = {
    ENUM("classes", LIST, kernel_class_at, KERNEL_CLASSES, "measured ones that share the budget"),
    ENUM("budget_classes", LIST, planner_class_at, CLASS_COUNT, NULL),
    NUMBER("us", NULLABLE, "measured, a step"),
    NUMBER("share", 0, NULL),
    NUMBER("budget_us", 0, NULL),
    NUMBER("budget_share", 0, NULL),
    NUMBER("ratio", NULLABLE, "measured over budget"),
};

static const struct schema_member PART[] = {
    TEXT("part", 0, "sample, prompt eval, eval, total, unaccounted"),
    TEXT("on", 0, "device or host"),
    NUMBER("us", 0, NULL),
    NUMBER("share", NULLABLE, "of the total"),
    NUMBER("tokens", NULLABLE, NULL),
    NUMBER("us_per_token", NULLABLE, NULL),
    NUMBER("budget_us", NULLABLE, "of all its tokens"),
};

static const struct schema_member RUN[] = {
    TEXT("run", 0, NULL),
    NUMBER("span_us", 0, NULL),
    NUMBER("busy_us", 0, NULL),
    NUMBER("idle_us", 0, NULL),
    NUMBER("idle_share", 0, NULL),
    NUMBER("launches", NULLABLE, NULL),
    NUMBER("idle_us_per_launch", NULLABLE, NULL),
};

static const struct schema_member WINDOW[] = {
    TEXT("from", NULLABLE, "the rule that chose it"),
    TEXT("step", NULLABLE, "an annotation of the engine, whole"),
    NUMBER("recorded_span_us", NULLABLE, "of all that was recorded"),
    NUMBER("recorded_busy_us", NULLABLE, NULL),
    NUMBER("outside_us", NULLABLE, "device time outside the window"),
    NUMBER("streams", NULLABLE, NULL),
    NUMBER("gemm_rows", NULLABLE, "rows of the widest matrix product: tokens of a step"),
};

const struct schema ATTRIBUTE_SCHEMAS[] = {
    CLOSED("Attribution", ATTRIBUTION, "where the time of a measured profile went"),
    CLOSED("AttributedShare", SHARE, "the time of a class"),
    CLOSED("AttributedName", NAME, "one of its kernels"),
    CLOSED("UnclassifiedKernel", UNCLASSIFIED, "a kernel that no row of /v1/kernels matches"),
    CLOSED("AttributedHost", HOST, "the host's part"),
    CLOSED("AttributedHostPart", HOST_PART, "idle time of the device by what the host did"),
    CLOSED("AttributedCalls", CALLS, "calls of the runtime"),
    CLOSED("AttributionBudget", BUDGET, "the same work as the planner has it"),
    CLOSED("AttributionComparison", COMPARISON, "measured beside budget"),
    CLOSED("AttributedPart", PART, "a phase that a program prints of itself"),
    CLOSED("AttributedRun", RUN, "one run of a table of runs"),
    CLOSED("AttributionWindow", WINDOW, "the part of the recording that was looked at"),
};

const int N_ATTRIBUTE_SCHEMAS = (int)ARRAY_LEN(ATTRIBUTE_SCHEMAS);
