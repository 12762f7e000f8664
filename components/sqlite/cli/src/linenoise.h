/* The interface through which SQLite's shell edits lines (HAVE_LINENOISE==2, the
** "msteveb" form of linenoise). Implemented in src/console.rs: the host edits,
** keeps the history and knows where its file is. */
#ifndef LINENOISE_H
#define LINENOISE_H

typedef struct linenoiseCompletions linenoiseCompletions;
typedef void linenoiseCompletionCallback(const char *, linenoiseCompletions *, void *);

char *linenoise(const char *zPrompt);
void linenoiseAddCompletion(linenoiseCompletions *, const char *zLine);
void linenoiseSetCompletionCallback(linenoiseCompletionCallback *, void *);
int linenoiseHistoryAdd(const char *zLine);
int linenoiseHistoryLoad(const char *zPath);
int linenoiseHistorySave(const char *zPath);
int linenoiseHistorySetMaxLen(int nLine);

#endif
