/* openapi_kernel_schemas.c - schemas of kernel names. */
#include "kernel_names.h"
#include "openapi_rows.h"

static const char *class_at(int index)
{
    return kernel_class_name((enum kernel_class)index);
}

static const char *budget_at(int index)
{
    return class_name((enum class_id)index);
}

#define CLASS(FLAGS, DOC) ENUM("class", FLAGS, class_at, KERNEL_CLASS_COUNT, DOC)
#define BUDGETS(FLAGS)                                                                             \
    ENUM("compared_with", LIST | (FLAGS), budget_at, CLASS_COUNT,                                  \
         "the plan's classes whose budgets stand beside its measured time, together")

static const struct schema_member KERNEL_ROW[] = {
    TEXT("pattern", 0,
         "letters of any case, with or without _ between; _ demands a word's edge, ^ the "
         "beginning, $ the end, * is any text"),
    CLASS(0, NULL),
    TEXT("engine", 0, "whose kernels are called so; any: a word of many engines"),
    TEXT("source", 0,
         "a file or profile that has such names, or where the engine keeps its kernels"),
    TEXT("example", 0, "a name that this row matches"),
    TEXT("ambiguous", NULLABLE, "why the name alone does not say it; the class is the likeliest"),
    BUDGETS(0),
};

static const struct schema_member KERNELS[] = {
    OBJECT("items", LIST | OPTIONAL, "KernelRow"),
    NUMBER("total", OPTIONAL, "of all pages"),
    TEXT("next_cursor", OPTIONAL | NULLABLE, "?cursor= of the next page"),
    TEXT("name", OPTIONAL, "with ?name=: the kernel asked for, in place of a page"),
    CLASS(OPTIONAL, "what it is; unclassified: no row knows it"),
    BUDGETS(OPTIONAL),
    TEXT("ambiguous", OPTIONAL | NULLABLE, "of the row"),
    OBJECT("row", OPTIONAL | NULLABLE, "KernelRow"),
};

const struct schema KERNEL_SCHEMAS[] = {
    CLOSED("KernelRow", KERNEL_ROW, "a pattern of kernel names and what they do"),
    CLOSED("Kernels", KERNELS, "a page of the table of kernel names, or what one name is"),
};

const int N_KERNEL_SCHEMAS = (int)ARRAY_LEN(KERNEL_SCHEMAS);
