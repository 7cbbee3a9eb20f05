#include "command_words.h"

#include <ctype.h>
#include <string.h>

#include "command_arithmetic.h"
#include "command_text.h"

/* Words of an array variable lie behind one another, each ended by this. */
#define ARRAY_END '\002'

struct lexer {
    const struct intake *intake;
    const char *origin;
    const char *at;
    char *text;                     /* words, one behind the other */
    size_t capacity, length, start; /* its size, what is used, and where the word began */
    bool in_word, quoted, failed;
    size_t equals;        /* of NAME= at the start of the word, 0 = it is none */
    bool skips_word;      /* the word under way is a redirection's file */
    const char *here_end; /* the line that ends the here-document waiting; NULL = none */
    bool here_word;       /* the word under way is such a line */
    const char *target;   /* file that the command's output goes to */
    bool target_word;     /* the word under way is that file */
    const char **words;
    int max_words, n_words, first; /* of all commands; the command's first */
    struct command_env *variables;
    int n_variables, n_own; /* all; how many of the last are the command's own */
    bool in_array;          /* what is read are the elements of an array */
    struct shell *shell;
};

static bool read_shell(const struct lexer *outer, const char *text, struct shell *ret_shell);

static void fail(struct lexer *lexer, const char *detail)
{
    if (!lexer->failed)
        fault_add(lexer->intake->faults, lexer->origin, NULL, "%s", detail);
    lexer->failed = true;
}

/* Words ---------------------------------------------------------------------------------------- */

static void put(struct lexer *lexer, char c)
{
    if (lexer->length + 2 >= lexer->capacity) {
        fail(lexer, "the command is too long");
        return;
    }
    lexer->in_word = true;
    lexer->text[lexer->length++] = c;
}

static void put_text(struct lexer *lexer, const char *text, size_t length)
{
    for (size_t i = 0; i < length && !lexer->failed; i++)
        put(lexer, text[i]);
}

static bool is_name(const char *text, size_t length)
{
    if (!length || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    }
    return true;
}

static const char *value_of(const void *context, const char *name, size_t length)
{
    const struct lexer *lexer = context;

    for (int i = lexer->n_variables - 1; i >= 0; i--) {
        const char *own = lexer->variables[i].name;
        if (strncmp(own, name, length) == 0 && !own[length])
            return lexer->variables[i].value;
    }
    return NULL;
}

/* `NAME+=` puts the value behind the old one. */
static void set_variable(struct lexer *lexer, char *name, const char *value, bool own)
{
    size_t length = strlen(name);
    bool appends = length > 0 && name[length - 1] == '+';

    if (appends) {
        name[length - 1] = '\0';
        const char *old = value_of(lexer, name, length - 1);
        value = old ? arena_printf(lexer->intake->arena, "%s%s", old, value) : value;
    }
    if (!value || (appends && strlen(value) > SHELL_TEXT_MAX)) {
        fail(lexer, "the command is too long");
        return;
    }
    if (lexer->n_variables == SHELL_VARIABLES_MAX) {
        fail(lexer, "the command sets too many variables");
        return;
    }
    lexer->variables[lexer->n_variables++] = (struct command_env){name, value};
    if (own)
        lexer->n_own++;
}

/* `Environment="NAME=value"` of a service file stands for NAME=value. */
static void set_assignment(struct lexer *lexer, char *word, size_t equals, bool own)
{
    static const char SERVICE[] = "Environment";

    word[equals] = '\0';
    if (strcmp(word, SERVICE) == 0) {
        word += equals + 1;
        char *inner = strchr(word, '=');
        if (!inner)
            return;
        equals = (size_t)(inner - word);
        word[equals] = '\0';
    }
    set_variable(lexer, word, word + equals + 1, own);
}

static void add_word(struct lexer *lexer, const char *word)
{
    if (lexer->n_words == lexer->max_words) {
        fail(lexer, "the command has too many words");
        return;
    }
    lexer->words[lexer->n_words++] = word;
}

static void end_word(struct lexer *lexer)
{
    if (!lexer->in_word || lexer->failed)
        return;
    char *word = lexer->text + lexer->start;
    size_t equals = lexer->equals;
    lexer->text[lexer->length++] = '\0';
    lexer->start = lexer->length;
    lexer->in_word = lexer->quoted = false;
    lexer->equals = 0;
    if (lexer->here_word)
        lexer->here_end = word;
    else if (lexer->target_word)
        lexer->target = word;
    else if (lexer->skips_word)
        ;
    else if (equals && lexer->n_words == lexer->first && strncmp(word, "ExecStart=", 10) == 0)
        add_word(lexer, word + 10);
    else if (equals && lexer->n_words == lexer->first)
        set_assignment(lexer, word, equals, true);
    else
        add_word(lexer, word);
    lexer->here_word = lexer->target_word = lexer->skips_word = false;
}

/* Commands ------------------------------------------------------------------------------------- */

/* Words that set the variables behind them for all commands that follow. */
static bool is_export(const char *word)
{
    static const char *const EXPORTS[] = {"export", "declare", "readonly",
                                          "local",  "typeset", "set"};

    for (size_t i = 0; i < ARRAY_LEN(EXPORTS); i++) {
        if (strcmp(word, EXPORTS[i]) == 0)
            return true;
    }
    return false;
}

static void export_words(struct lexer *lexer)
{
    for (int i = lexer->first + 1; i < lexer->n_words && !lexer->failed; i++) {
        const char *word = lexer->words[i];
        const char *equals = strchr(word, '=');
        if (!equals || !is_name(word, (size_t)(equals - word)))
            continue;
        char *copy = arena_copy(lexer->intake->arena, word, strlen(word));
        if (!copy) {
            fail(lexer, "out of memory");
            return;
        }
        set_assignment(lexer, copy, (size_t)(equals - word), false);
    }
}

static void keep_command(struct lexer *lexer)
{
    struct shell *shell = lexer->shell;
    int n = lexer->n_words - lexer->first;
    struct arena *arena = lexer->intake->arena;

    if (shell->n_commands == SHELL_COMMANDS_MAX) {
        fail(lexer, "the text has too many commands");
        return;
    }
    size_t words_size = (size_t)n * sizeof(*lexer->words);
    size_t env_size = (size_t)lexer->n_variables * sizeof(*lexer->variables);
    struct shell_command *command = &shell->commands[shell->n_commands];
    command->words = arena_alloc_raw(arena, words_size);
    command->env = arena_alloc_raw(arena, env_size ? env_size : 1);
    if (!command->words || !command->env) {
        fail(lexer, "out of memory");
        return;
    }
    memcpy(command->words, lexer->words + lexer->first, words_size);
    memcpy(command->env, lexer->variables, env_size);
    command->n_words = n;
    command->n_env = lexer->n_variables;
    shell->n_commands++;
}

/* Whether the line is that word, but for blanks before and a carriage return behind it. */
static bool is_line_of(const char *line, const char *word)
{
    size_t length = strlen(word), n = strcspn(line, "\n");
    const char *from = line + strspn(line, "\t ");

    if (n && line[n - 1] == '\r')
        n--;
    return from <= line + n && (size_t)(line + n - from) == length &&
           memcmp(from, word, length) == 0;
}

/* The body of a here-document ends at the line that was announced; `cat > NAME` keeps it. */
static void read_here(struct lexer *lexer)
{
    const char *body = lexer->at;
    const char *line = body;
    struct shell *shell = lexer->shell;

    while (*line && !is_line_of(line, lexer->here_end)) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    if (lexer->target && shell->n_files < SHELL_FILES_MAX) {
        const char *text = arena_copy(lexer->intake->arena, body, (size_t)(line - body));
        if (text)
            shell->files[shell->n_files++] = (struct shell_file){lexer->target, text};
    }
    lexer->at = line + strcspn(line, "\n");
    lexer->here_end = NULL;
}

static void end_command(struct lexer *lexer)
{
    end_word(lexer);
    if (lexer->failed)
        return;
    if (lexer->n_words > lexer->first) {
        if (is_export(lexer->words[lexer->first]))
            export_words(lexer);
        else {
            keep_command(lexer);
            lexer->n_variables -= lexer->n_own;
        }
    }
    lexer->n_own = 0;
    lexer->first = lexer->n_words;
}

static void end_line(struct lexer *lexer)
{
    end_command(lexer);
    if (lexer->here_end && !lexer->failed)
        read_here(lexer);
    lexer->target = NULL;
}

/* Parameters ----------------------------------------------------------------------------------- */

/* What only a running shell knows. */
static void put_unknown(struct lexer *lexer, const char *text, size_t length)
{
    put(lexer, WORD_UNKNOWN);
    put_text(lexer, text, length);
    put(lexer, WORD_UNKNOWN);
}

/* A value outside quotes is cut at its blanks, an array at its elements. */
static void put_value(struct lexer *lexer, const char *value, bool quoted)
{
    bool array = strchr(value, ARRAY_END) != NULL, whole = quoted;

    for (; *value && !lexer->failed; value++) {
        whole = whole != (!quoted && *value == WORD_UNKNOWN);
        bool cut = array ? *value == ARRAY_END : !whole && strchr(" \t\r\n", *value);
        if (cut)
            end_word(lexer);
        else
            put(lexer, *value);
    }
}

/* The word of ${NAME:-word}, which may hold quotes. */
static void put_default(struct lexer *lexer, const char *word, const char *end)
{
    for (; word < end; word++) {
        if (*word != '"' && *word != '\'')
            put(lexer, *word);
    }
}

/* Behind the "[@]" and the ":" that may follow a name. */
static const char *sign_of(const char *rest, const char *end)
{
    if (end - rest >= 3 && rest[0] == '[')
        rest += 3;
    return end - rest >= 1 && rest[0] == ':' ? rest + 1 : rest;
}

/* ${NAME}, ${NAME[@]}, ${NAME:-word} and its kin; `end` is at the closing brace. */
static void read_braced(struct lexer *lexer, const char *name, const char *end, bool quoted)
{
    size_t length = command_name_length(name, end);
    const char *value = value_of(lexer, name, length);
    const char *sign = sign_of(name + length, end);
    int kind = sign < end ? (unsigned char)*sign : ' ';
    bool empty = !value || !*value;
    const char *word = sign < end ? sign + 1 : end;
    /* a parameter within the word stays unknown */
    bool plain = memchr(word, '$', (size_t)(end - word)) == NULL;

    if (strchr("-=", kind) && empty && plain)
        put_default(lexer, word, end);
    else if (kind == '+' && plain)
        put_text(lexer, word, empty ? 0 : (size_t)(end - word));
    else if (value && strchr(" -=?", kind))
        put_value(lexer, value, quoted);
    else
        put_unknown(lexer, name, length ? length : (size_t)(end - name));
}

/* $(( ... )) is computed where its names are known, $( ... ) is unknown. */
static void put_sum(struct lexer *lexer, const char *text, size_t length)
{
    const char *sum = command_sum(lexer->intake->arena, text, length, value_of, lexer);

    if (sum)
        put_text(lexer, sum, strlen(sum));
    else
        put_unknown(lexer, text, length);
}

/* `at` is behind the dollar sign. */
static void read_parameter(struct lexer *lexer, bool quoted)
{
    const char *at = lexer->at;
    const char *end;

    if (*at == '{' || *at == '(') {
        end = command_closing(at + 1, *at, *at == '{' ? '}' : ')');
        if (!end) {
            fail(lexer, "a bracket behind $ is not closed");
            return;
        }
        if (*at == '{')
            read_braced(lexer, at + 1, end, quoted);
        else
            put_sum(lexer, at, (size_t)(end + 1 - at));
        lexer->at = end + 1;
        return;
    }
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    if (!length && *at && strchr("@*#?$!-", *at))
        length = 1;
    if (!length) {
        put(lexer, '$');
        return;
    }
    const char *value = value_of(lexer, at, length);
    if (value)
        put_value(lexer, value, quoted);
    else
        put_unknown(lexer, at, length);
    lexer->at = at + length;
}

/* Quotes --------------------------------------------------------------------------------------- */

static void read_single(struct lexer *lexer, bool escapes)
{
    lexer->in_word = lexer->quoted = true;
    while (*lexer->at && *lexer->at != '\'') {
        if (escapes && *lexer->at == '\\' && lexer->at[1])
            lexer->at++;
        put(lexer, *lexer->at++);
    }
    if (!*lexer->at) {
        fail(lexer, "a single quote is not closed");
        return;
    }
    lexer->at++;
}

static void read_backtick(struct lexer *lexer)
{
    const char *end = strchr(lexer->at, '`');

    if (!end) {
        fail(lexer, "a backtick is not closed");
        return;
    }
    /* `# ...` is how a continued line is commented */
    if (lexer->at[strspn(lexer->at, " ")] != '#')
        put_unknown(lexer, lexer->at, (size_t)(end - lexer->at));
    lexer->at = end + 1;
}

static void read_double(struct lexer *lexer)
{
    lexer->in_word = lexer->quoted = true;
    while (*lexer->at && *lexer->at != '"' && !lexer->failed) {
        char c = *lexer->at++;
        if (c == '$')
            read_parameter(lexer, true);
        else if (c == '`')
            read_backtick(lexer);
        else if (c == '\\' && *lexer->at == '\n')
            lexer->at++;
        else if (c == '\\' && *lexer->at && strchr("$`\"\\", *lexer->at))
            put(lexer, *lexer->at++);
        else
            put(lexer, c);
    }
    /* an array in quotes may have ended the word: nothing more belongs to it then */
    if (!*lexer->at) {
        fail(lexer, "a double quote is not closed");
        return;
    }
    lexer->at++;
}

/* Lines ---------------------------------------------------------------------------------------- */

/* Continues a line: a backslash (here also with blanks behind it), a caret or a backtick at its
 * end, as the shells of other systems have it. */
static bool continues(struct lexer *lexer)
{
    const char *at = lexer->at + 1;

    if (!strchr("\\^`", *lexer->at))
        return false;
    at += strspn(at, " \t\r");
    if (*at != '\n')
        return false;
    lexer->at = at + 1;
    return true;
}

/* What <( ... ) would be read from; it is closed. */
static void read_substitution(struct lexer *lexer)
{
    const char *end = command_closing(lexer->at + 2, '(', ')');

    put_unknown(lexer, lexer->at + 1, (size_t)(end - lexer->at));
    lexer->at = end + 1;
}

/* <, >, with what stands around them. */
static void read_redirection(struct lexer *lexer)
{
    if (lexer->at[0] == '<' && lexer->at[1] == '(' && command_closing(lexer->at + 2, '(', ')')) {
        read_substitution(lexer);
        return;
    }
    bool descriptor = lexer->in_word && !lexer->quoted;

    for (size_t i = lexer->start; i < lexer->length; i++)
        descriptor =
            descriptor && (isdigit((unsigned char)lexer->text[i]) || lexer->text[i] == '&');
    if (descriptor) {
        lexer->length = lexer->start;
        lexer->in_word = false;
        lexer->equals = 0;
    }
    end_word(lexer);
    bool here = strncmp(lexer->at, "<<", 2) == 0 && lexer->at[2] != '<';
    bool output = *lexer->at == '>';
    lexer->at += strspn(lexer->at, here ? "<-" : "<>|&");
    lexer->here_word = here;
    lexer->target_word = output && !here;
    lexer->skips_word = !here && !output;
}

/* All words of an inner text, each with ARRAY_END behind it; NULL when out of memory. */
static const char *join_words(struct arena *arena, const struct shell *inner)
{
    size_t size = 0;

    for (int i = 0; i < inner->n_commands; i++) {
        for (int j = 0; j < inner->commands[i].n_words; j++)
            size += strlen(inner->commands[i].words[j]) + 1;
    }
    char *value = arena_alloc(arena, size + 1);
    size = 0;
    for (int i = 0; value && i < inner->n_commands; i++) {
        for (int j = 0; j < inner->commands[i].n_words; j++) {
            size_t n = strlen(inner->commands[i].words[j]);
            memcpy(value + size, inner->commands[i].words[j], n);
            value[size + n] = ARRAY_END;
            size += n + 1;
        }
    }
    return value;
}

/* NAME=( ... ): the words up to the closing parenthesis, as one value. */
static void read_array(struct lexer *lexer)
{
    struct arena *arena = lexer->intake->arena;
    const char *end = command_closing(lexer->at, '(', ')');
    struct shell inner;

    if (!end) {
        fail(lexer, "a parenthesis is not closed");
        return;
    }
    const char *text = arena_copy(arena, lexer->at, (size_t)(end - lexer->at));
    if (!text) {
        fail(lexer, "out of memory");
        return;
    }
    if (!read_shell(lexer, text, &inner)) {
        lexer->failed = true;
        return;
    }
    char *name = lexer->text + lexer->start;
    name[lexer->equals] = '\0';
    lexer->length = lexer->start + lexer->equals + 1;
    lexer->start = lexer->length;
    lexer->in_word = lexer->quoted = false;
    lexer->equals = 0;
    lexer->at = end + 1;
    set_variable(lexer, name, join_words(arena, &inner), lexer->n_words == lexer->first);
}

/* Characters that end words and commands. */
static void read_separator(struct lexer *lexer)
{
    char c = *lexer->at;

    if (c == '(' && !lexer->in_array && lexer->equals &&
        lexer->start + lexer->equals + 1 == lexer->length) {
        lexer->at++;
        read_array(lexer);
        return;
    }
    if (c == '&' && lexer->at[1] == '>') {
        end_word(lexer);
        lexer->at++;
        read_redirection(lexer);
        return;
    }
    lexer->at++;
    if (c == '\n')
        end_line(lexer);
    else if (c == ' ' || c == '\t' || c == '\r')
        end_word(lexer);
    else
        end_command(lexer);
}

/* Whether the word under way is a path of a system whose directories are parted by backslashes. */
static bool is_drive(const struct lexer *lexer)
{
    const char *word = lexer->text + lexer->start;

    return lexer->in_word && lexer->length - lexer->start >= 2 && isalpha((unsigned char)word[0]) &&
           word[1] == ':';
}

static void read_plain(struct lexer *lexer)
{
    char c = *lexer->at++;
    size_t length = lexer->length - lexer->start;

    if (c == '\\' && *lexer->at && !is_drive(lexer))
        c = *lexer->at++;
    else if (c == '=' && !lexer->equals && !lexer->quoted && lexer->in_word) {
        const char *word = lexer->text + lexer->start;
        size_t name = length && word[length - 1] == '+' ? length - 1 : length;
        lexer->equals = is_name(word, name) ? length : 0;
    }
    put(lexer, c);
}

static void read_character(struct lexer *lexer)
{
    char c = *lexer->at;

    if (continues(lexer))
        return;
    if (c == '\'' || (c == '$' && lexer->at[1] == '\'')) {
        lexer->at += c == '$' ? 2 : 1;
        read_single(lexer, c == '$');
    } else if (c == '"') {
        lexer->at++;
        read_double(lexer);
    } else if (c == '$') {
        lexer->at++;
        read_parameter(lexer, false);
    } else if (c == '`') {
        lexer->at++;
        read_backtick(lexer);
    } else if (c == '#' && !lexer->in_word) {
        lexer->at += strcspn(lexer->at, "\n");
    } else if (c == '<' || c == '>') {
        read_redirection(lexer);
    } else if (strchr(" \t\r\n;&|()", c)) {
        read_separator(lexer);
    } else {
        read_plain(lexer);
    }
}

/* Room for the words of a text with what they may expand to. */
static bool make_room(struct lexer *lexer, size_t length)
{
    struct arena *arena = lexer->intake->arena;
    size_t capacity = 4 * length + 4096;

    lexer->capacity = capacity < SHELL_TEXT_MAX ? capacity : SHELL_TEXT_MAX;
    lexer->max_words = (int)(lexer->capacity / 2);
    if (lexer->max_words > SHELL_WORDS_MAX)
        lexer->max_words = SHELL_WORDS_MAX;
    lexer->text = arena_alloc_raw(arena, lexer->capacity);
    lexer->words = arena_alloc_raw(arena, (size_t)lexer->max_words * sizeof(*lexer->words));
    lexer->variables = arena_alloc_raw(arena, SHELL_VARIABLES_MAX * sizeof(*lexer->variables));
    lexer->shell->commands =
        arena_alloc_raw(arena, SHELL_COMMANDS_MAX * sizeof(struct shell_command));
    return lexer->text && lexer->words && lexer->variables && lexer->shell->commands;
}

static bool read_shell(const struct lexer *outer, const char *text, struct shell *ret_shell)
{
    struct lexer lexer = {.intake = outer->intake,
                          .origin = outer->origin,
                          .in_array = outer->shell != NULL,
                          .at = text,
                          .shell = ret_shell};
    size_t length = strlen(text);

    memset(ret_shell, 0, sizeof(*ret_shell));
    if (length > COMMAND_TEXT_MAX)
        fail(&lexer, "the command is too long");
    else if (!make_room(&lexer, length))
        fail(&lexer, "out of memory");
    for (int i = 0; !lexer.failed && i < outer->n_variables && i < SHELL_VARIABLES_MAX; i++)
        lexer.variables[lexer.n_variables++] = outer->variables[i];
    while (!lexer.failed && *lexer.at)
        read_character(&lexer);
    if (!lexer.failed)
        end_line(&lexer);
    ret_shell->env = lexer.variables;
    ret_shell->n_env = lexer.n_variables;
    return !lexer.failed;
}

bool shell_read(const struct intake *intake, const char *text, const char *origin,
                const struct command_env *env, int n_env, struct shell *ret_shell)
{
    struct command_env variables[SHELL_VARIABLES_MAX];
    struct lexer outer = {.intake = intake, .origin = origin, .variables = variables};

    for (int i = 0; i < n_env && i < SHELL_VARIABLES_MAX; i++)
        variables[outer.n_variables++] = env[i];
    return read_shell(&outer, text, ret_shell);
}

const char *command_env_value(const struct command_env *env, int n_env, const char *name)
{
    for (int i = n_env - 1; i >= 0; i--) {
        if (strcmp(env[i].name, name) == 0)
            return env[i].value;
    }
    return NULL;
}
