#include "manifest.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "described.h"
#include "device_names.h"
#include "manifest_parts.h"
#include "texts.h"
#include "yaml_tree.h"

#define LIST_MAX 480
/* More are taken for a slip. */
#define DEVICES_MAX 4096

/* What it looks like ----------------------------------------------------------------------------
 */

static const char *const MARKS[] = {"apiVersion", "kind", "services"};

/* Whether the line begins with one of the marks and a colon, quoted or behind a list's dash. */
static bool line_is_mark(const char *line)
{
    line += strspn(line, line[0] == '-' ? "- " : "{ \t");
    line += line[0] == '"' || line[0] == '\'';
    for (size_t i = 0; i < ARRAY_LEN(MARKS); i++) {
        size_t length = strlen(MARKS[i]);
        if (strncmp(line, MARKS[i], length) == 0) {
            line += length;
            line += line[0] == '"' || line[0] == '\'';
            line += strspn(line, " \t");
            return line[0] == ':';
        }
    }
    return false;
}

bool manifest_looks_like(const char *text)
{
    bool braced = text[strspn(text, " \t\r\n")] == '{';

    while (text) {
        bool outermost = text[0] != ' ' && text[0] != '\t';
        if ((outermost || braced) && line_is_mark(text))
            return true;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return false;
}

bool manifest_is_object(const struct cJSON *object)
{
    return cJSON_IsString(tree_at(object, "apiVersion")) ||
           cJSON_IsString(tree_at(object, "kind")) || cJSON_IsObject(tree_at(object, "services"));
}

const char *manifest_template_hint(const char *text)
{
    return strstr(text, "{{") ? "; a template is rendered first, as \"helm template\" does" : "";
}

/* Choosing --------------------------------------------------------------------------------------
 */

static bool is_asked(const struct unit *unit, const char *container)
{
    const char *slash = container ? strrchr(container, '/') : NULL;

    if (!container)
        return true;
    if (strcmp(unit->container, container) == 0 || strcmp(unit->workload, container) == 0)
        return true;
    return slash && strlen(unit->workload) == (size_t)(slash - container) &&
           strncmp(unit->workload, container, (size_t)(slash - container)) == 0 &&
           strcmp(unit->container, slash + 1) == 0;
}

/* "a/b (image), c/d"; cut where it gets long. */
static const char *list_units(const struct manifest *manifest, struct unit *const *units, int n)
{
    char text[LIST_MAX];
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        const char *image = units[i]->line.image;
        int more = snprintf(text + used, sizeof(text) - used, "%s%.60s/%.60s%s%.60s%s",
                            i ? ", " : "", units[i]->workload, units[i]->container,
                            image ? " (" : "", image ? image : "", image ? ")" : "");
        if (more < 0 || (size_t)more >= sizeof(text) - used)
            break;
        used += (size_t)more;
    }
    text[used] = '\0';
    return arena_copy(manifest->intake->arena, text, used);
}

/* The units that are asked for and serve, else those asked for; their number. */
static int candidates(struct manifest *manifest, const char *container, bool serving,
                      struct unit *ret_units[UNITS_MAX])
{
    int n = 0;

    for (int i = 0; i < manifest->n_units; i++) {
        struct unit *unit = &manifest->units[i];
        if (is_asked(unit, container) &&
            (!serving || command_serves(manifest->intake, &unit->line)))
            ret_units[n++] = unit;
    }
    return n;
}

static void refuse_none(struct manifest *manifest, const char *container)
{
    struct unit *all[UNITS_MAX];
    int n = candidates(manifest, NULL, false, all);
    const char *list = n ? list_units(manifest, all, n) : NULL;
    struct faults *faults = manifest->intake->faults;

    if (manifest->unread_kind && n == 0)
        fault_add(faults, manifest->origin, NULL, "a %s cannot be read: %s", manifest->unread_kind,
                  manifest->unread_why);
    else if (!list)
        fault_add(faults, manifest->origin, NULL,
                  "no container in it: a Pod, Deployment, StatefulSet, LeaderWorkerSet, "
                  "InferenceService, a List of these or compose services are read");
    else if (container && candidates(manifest, container, false, all) == 0)
        fault_add(faults, manifest->asked, NULL, "no container \"%s\"; there are %s",
                  field_quote(manifest->intake->arena, container), list);
    else
        fault_add(faults, manifest->origin, NULL,
                  "no container starts an engine that is known here; there are %s", list);
}

/* A draining runtime or a second copy of the same container is no choice to make. */
static bool same_launch(const struct unit *a, const struct unit *b)
{
    if (a->line.argc != b->line.argc || strcmp(a->workload, b->workload) != 0)
        return false;
    for (int i = 0; i < a->line.argc; i++)
        if (strcmp(a->line.argv[i], b->line.argv[i]) != 0)
            return false;
    return true;
}

/* Devices of all pods of a copy; some, when their number is not said. */
static double weight_of(const struct unit *unit)
{
    if (isnan(unit->devices))
        return unit->resource ? 0.5 : 0;
    return unit->devices * unit->pods;
}

/* Whether `a` is rather what is planned than `b`: the one with more devices; a runtime only where
 * nothing else serves. The first one wins a draw. */
static bool is_rather(const struct unit *a, const struct unit *b)
{
    bool a_runtime = strstr(a->kind, "ServingRuntime") != NULL;
    bool b_runtime = strstr(b->kind, "ServingRuntime") != NULL;

    return a_runtime == b_runtime ? weight_of(a) > weight_of(b) : b_runtime;
}

/* The unit that is planned, and a note of the choice where there is one. */
static const struct unit *choose(struct manifest *manifest, const char *container,
                                 struct described *described)
{
    struct unit *units[UNITS_MAX];
    int n = candidates(manifest, container, true, units);
    int distinct = 0;

    for (int i = 0; i < n; i++) {
        bool again = false;
        for (int j = 0; j < distinct; j++)
            again = again || same_launch(units[i], units[j]);
        if (!again)
            units[distinct++] = units[i];
    }
    if (distinct == 0) {
        refuse_none(manifest, container);
        return NULL;
    }
    int best = 0;
    for (int i = 1; i < distinct; i++)
        best = is_rather(units[i], units[best]) ? i : best;
    struct unit *chosen = units[best];
    for (; best + 1 < distinct; best++)
        units[best] = units[best + 1];
    if (distinct > 1)
        described_note(described, "container_chosen", manifest->origin,
                       "%d containers serve; planned is %.80s/%.80s, left out: %s; \"container\" "
                       "(\"workload/container\") chooses another",
                       distinct, chosen->workload, chosen->container,
                       list_units(manifest, units, distinct - 1));
    return chosen;
}

/* Leaves ----------------------------------------------------------------------------------------
 */

static bool set_number(const struct manifest *manifest, struct plan_request *request,
                       const char *pointer, double number)
{
    const cJSON value = {.type = cJSON_Number, .valuedouble = number};

    return isnan(number) || plan_request_gives(request, pointer) ||
           field_set_by_pointer(manifest->intake, request, pointer, &value);
}

static bool set_text(const struct manifest *manifest, struct plan_request *request,
                     const char *pointer, const char *text)
{
    char *copy = arena_copy(manifest->intake->arena, text, strlen(text));
    const cJSON value = {.type = cJSON_String, .valuestring = copy};

    return copy && field_set_by_pointer(manifest->intake, request, pointer, &value);
}

static bool is_refused(const struct manifest *manifest, const char *pointer)
{
    const struct faults *faults = manifest->intake->faults;

    for (int i = 0; i < faults->n; i++)
        if (strcmp(faults->items[i].pointer, pointer) == 0)
            return true;
    return false;
}

/* The part that labels select. What they say is not known: a fault, unless a part was given. */
static void apply_part(const struct manifest *manifest, const struct unit *unit,
                       struct plan_request *request)
{
    const struct catalogue *catalogue = manifest->intake->catalogue;
    bool given = plan_request_gives(request, "/hardware");
    struct device_found found;

    if (unit->part && device_name_find(catalogue, unit->part, &found)) {
        const struct hardware *part = &catalogue->lib.hardware[found.index];
        if (!given && unit->part_other)
            described_note(&request->described, "hardware_chosen", manifest->origin,
                           "the manifest allows several parts (%s): planned on %s, not on %s",
                           unit->part_from, part->id,
                           field_quote(manifest->intake->arena, unit->part_other));
        if (!given)
            (void)set_text(manifest, request, "/hardware", part->id);
        else if (request->problem.hw && request->problem.hw->index != found.index)
            described_note(&request->described, "hardware_differs", "/hardware",
                           "the manifest asks for %s (%s: %s); planned on the part given beside "
                           "it, %s",
                           part->id, unit->part_from, unit->part, request->problem.hw->id);
        return;
    }
    const char *pointer = texts_pointer(manifest->intake, FIELD_ID_HARDWARE);
    if (given || is_refused(manifest, pointer))
        return;
    if (!unit->part)
        fault_add(manifest->intake->faults, pointer, NULL,
                  "required: the manifest selects no part (no node label tells it): give %s",
                  texts_way_to_give(manifest->intake, FIELD_ID_HARDWARE));
    else
        fault_add(manifest->intake->faults, pointer, NULL,
                  "the manifest asks for \"%s\" (%s), which names no part or several: give %s",
                  field_quote(manifest->intake->arena, unit->part), unit->part_from,
                  texts_way_to_give(manifest->intake, FIELD_ID_HARDWARE));
}

/* The name when the catalogue has it, else NULL. */
static const char *known_model(const struct manifest *manifest, const char *name)
{
    struct name_match match;

    if (!name || !name[0])
        return NULL;
    catalogue_find_model(manifest->intake->catalogue, name, &match);
    return match.index >= 0 ? name : NULL;
}

/* The known model that an address ends with: hf://org/name:revision, s3://bucket/path/name,
 * oci://registry/path/modelcar-name:tag, where the tag may be the name. */
static const char *model_of_address(const struct manifest *manifest, const char *address)
{
    static const char CAR[] = "modelcar-";
    struct arena *arena = manifest->intake->arena;
    const char *from = strstr(address, "://");
    bool hub = strncmp(address, "hf://", 5) == 0;
    const char *path = from ? from + 3 : address;
    size_t length = strlen(path);

    while (length && path[length - 1] == '/')
        length--;
    const char *whole = arena_copy(arena, path, length);
    const char *slash = whole && !hub ? strrchr(whole, '/') : NULL;
    const char *name = slash ? slash + 1 : whole;
    const char *colon = name ? strchr(name, ':') : NULL;
    const char *bare = colon ? arena_copy(arena, name, (size_t)(colon - name)) : name;
    bool car = bare && strncmp(bare, CAR, strlen(CAR)) == 0;
    const char *known = known_model(manifest, bare);

    known = known || !car ? known : known_model(manifest, bare + strlen(CAR));
    return known || !colon || hub ? known : known_model(manifest, colon + 1);
}

/* A model that stands beside the command, when its name is known: the command then speaks of the
 * place where it is mounted. */
static void apply_model(const struct manifest *manifest, const struct unit *unit,
                        struct plan_request *request)
{
    const char *known = unit->model ? model_of_address(manifest, unit->model) : NULL;

    known = known ? known : known_model(manifest, unit->model_name);
    if (known && !plan_request_gives(request, "/model"))
        (void)set_text(manifest, request, "/model", known);
}

/* What the manifest itself calls the model, when nothing that it says is known. */
static void refuse_model(const struct manifest *manifest, const struct unit *unit,
                         const struct plan_request *request)
{
    if (unit->model && !plan_request_gives(request, "/model"))
        fault_add(manifest->intake->faults, texts_pointer(manifest->intake, FIELD_ID_MODEL), NULL,
                  "the manifest's %s is \"%s\", which ends with no name that has a record: give "
                  "\"model\" beside it",
                  unit->model_from, field_quote(manifest->intake->arena, unit->model));
}

/* A leaf as it counts before defaults: what was given, else 1. */
static double ranks(const struct plan_request *request, const char *pointer, double value)
{
    return plan_request_gives(request, pointer) && value >= 1 ? value : 1;
}

/* Devices that nobody uses; that some are missing is said where the command is read. */
static void note_devices(const struct unit *unit, struct plan_request *request)
{
    const struct deployment *dep = &request->problem.dep;
    double devices = unit->devices * unit->pods;
    double used = ranks(request, "/deployment/tp", dep->tp) *
                  ranks(request, "/deployment/pp", dep->pp) *
                  ranks(request, "/deployment/dp", dep->dp);

    if (isnan(devices))
        return;
    if (used >= devices)
        return;
    described_note(&request->described, "devices_unused", "/deployment/tp",
                   "the manifest gives %.9g devices (%s: %.9g%s), the command uses %.9g "
                   "(tp x pp x dp)",
                   devices, unit->resource, unit->devices, unit->pods > 1 ? " in each pod" : "",
                   used);
}

/* A count that Kubernetes would refuse is no plan's. A container that asks for 0 devices gets none,
 * which only a CPU's engine starts with. */
static void refuse_counts(const struct manifest *manifest, const struct unit *unit,
                          const struct plan_request *request)
{
    bool zero = unit->bad_count && strcmp(unit->bad_count, "0") == 0;
    const struct hardware *part =
        plan_request_gives(request, "/hardware") ? request->problem.hw : NULL;

    if (unit->bad_count && (!zero || (isnan(unit->devices) && !(part && part->class == HW_CPU))))
        fault_add(manifest->intake->faults, manifest->origin, NULL,
                  "%s: expected a whole number of devices from 1 to 9999, got \"%s\"",
                  unit->bad_resource, field_quote(manifest->intake->arena, unit->bad_count));
    if (unit->replicas < 0)
        fault_add(manifest->intake->faults, manifest->origin, NULL,
                  "replicas of %s \"%s\": expected a whole number", unit->kind,
                  field_quote(manifest->intake->arena, unit->workload));
}

static bool apply_unit(struct manifest *manifest, const struct unit *unit,
                       struct plan_request *request)
{
    struct described *described = &request->described;
    int before = manifest->intake->faults->n + manifest->intake->faults->dropped;

    if (unit->slice && !plan_request_gives(request, "/hardware")) {
        fault_add(manifest->intake->faults, texts_pointer(manifest->intake, FIELD_ID_HARDWARE),
                  NULL,
                  "the container asks for a slice of a part (nvidia.com/mig-%.40s), which has no "
                  "record: give \"hardware\" as an object with the slice's memory and bandwidth",
                  unit->slice);
        return false;
    }
    if (unit->without_value)
        described_note(described, "variable_unknown", manifest->origin,
                       "the command uses %.80s, whose value is not in the manifest",
                       unit->without_value);
    refuse_counts(manifest, unit, request);
    apply_model(manifest, unit, request);
    apply_part(manifest, unit, request);
    struct command_line line = unit->line;
    line.kept = manifest->kept;
    double devices = unit->devices * unit->pods;
    line.n_devices = devices <= DEVICES_MAX ? (int)devices : 0;
    if (!command_apply(manifest->intake, &line, request, described)) {
        refuse_model(manifest, unit, request);
        return false;
    }
    (void)set_number(manifest, request, "/deployment/tp", unit->tp);
    (void)set_number(manifest, request, "/deployment/pp", unit->pp);
    if (unit->replicas >= 1)
        (void)set_number(manifest, request, "/deployment/replicas", unit->replicas);
    else if (unit->replicas == 0)
        described_note(described, "no_replicas", manifest->origin,
                       "the manifest starts no copy (0 replicas): one is planned");
    note_devices(unit, request);
    return manifest->intake->faults->n + manifest->intake->faults->dropped == before;
}

bool manifest_apply(const struct intake *intake, const struct cJSON *documents,
                    const struct manifest_source *source, struct plan_request *request)
{
    struct manifest manifest = {
        .intake = intake,
        .origin = source->origin,
        .asked = source->asked,
        .kept = source->kept,
        .documents = documents,
        .units = arena_alloc(intake->arena, UNITS_MAX * sizeof(struct unit)),
    };

    if (!manifest.units) {
        fault_add(intake->faults, source->origin, NULL, "out of memory");
        return false;
    }
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    units_find(&manifest);
    if (manifest.too_many)
        described_note(&request->described, "containers_left_out", source->origin,
                       "only the first %d containers were looked at", UNITS_MAX);
    const struct unit *unit = choose(&manifest, source->container, &request->described);
    return unit && apply_unit(&manifest, unit, request);
}

bool manifest_read(const struct intake *intake, const char *text, size_t length,
                   const struct manifest_source *source, struct plan_request *request)
{
    struct yaml_fault fault;
    const cJSON *documents = yaml_tree_read(intake->arena, text, length, &fault);

    if (!documents) {
        fault_add(intake->faults, source->origin, NULL, "not YAML: %s at line %zu, column %zu%s",
                  fault.what, fault.line, fault.column, manifest_template_hint(text));
        return false;
    }
    return manifest_apply(intake, documents, source, request);
}
