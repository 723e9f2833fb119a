/* The plugin interface of qeval, for C and C++.
 *
 * docs/plugin-interface.md is the specification: what the descriptor and the setup say, and which
 * columns batches have. qeval_arrow.h, beside this file, reads and makes these columns.
 *
 * A library exports one function, `qeval_plugin_entry_v1`. It returns a table with a descriptor and
 * four functions. A function returns 0, or another status and a text in `error`.
 *
 * Who owns what:
 * - The table and the descriptor live as long as the process; a library is never closed.
 * - `array` and `schema` are moved into the call: the plugin calls `release` of both, once, also when
 *   it fails.
 * - `out_array` and `out_schema` are written only when the status is 0. They belong to qeval then, which
 *   calls their `release`. They hold nothing before, so there is nothing in them to release.
 * - The setup and the buffer of an error are qeval's, and are valid only during the call.
 * - No memory is freed by the other side than the one that made it.
 * - Nothing unwinds across: catch C++ exceptions before a function returns, and leave none with longjmp.
 *
 * Threads: an instance may be used from any thread. `call` and `finish` of one instance run at the
 * same time only when the descriptor says "thread_safe": true. `create`, `destroy` and the entry are
 * never called at the same time as another function of the same instance; different instances are
 * independent, so what they share must be constant or locked.
 */
#ifndef QEVAL_PLUGIN_H
#define QEVAL_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The Arrow C data interface, https://arrow.apache.org/docs/format/CDataInterface.html. Every
 * library that knows it has these definitions under this guard. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

/* Made by `cargo xtask codegen` from crates/sdk/src/abi.rs. */

/* The version of the interface that this header describes. */
#define QEVAL_INTERFACE_MAJOR 1
#define QEVAL_INTERFACE_MINOR 1

/* The first eight bytes of every table. */
#define QEVAL_MAGIC UINT64_C(0x676c706c61766571)

/* Any other status counts as QEVAL_STATUS_PROTOCOL. */
#define QEVAL_STATUS_OK 0 /* All went well. */
#define QEVAL_STATUS_REFUSED 1 /* The plugin says itself that it could not. */
#define QEVAL_STATUS_CRASH 2 /* The plugin panicked. */
#define QEVAL_STATUS_PROTOCOL 3 /* The two sides do not understand each other. */
#define QEVAL_STATUS_VALUE 4 /* A value is not what it must be. */
#define QEVAL_STATUS_TIMEOUT 5 /* Something that the plugin waited for took too long. */
#define QEVAL_STATUS_MEMORY 6 /* There was not enough memory. */

/* A buffer of the host that takes the text of an error. */
typedef struct {
  /* Where the text is written. */
  uint8_t *text;
  /* Bytes that fit. */
  size_t capacity;
  /* Bytes that were written. */
  size_t length;
} QevalError;

/* What a plugin library is: plain data and functions. A function is null only in a library that
 * is broken, but for `finish`. */
typedef struct {
  /* QEVAL_MAGIC. */
  uint64_t magic;
  /* Bytes of the table in the version of the plugin. */
  uint32_t struct_size;
  /* Major version of the interface. */
  uint32_t abi_major;
  /* Minor version of the interface. */
  uint32_t abi_minor;
  /* Zero. */
  uint32_t reserved;
  /* A descriptor(crate::descriptor) as JSON, or `{"error": "why there is no plugin"}`. */
  const uint8_t *descriptor;
  /* Its bytes. */
  size_t descriptor_length;
  /* Makes an instance. */
  int32_t (*create)(const uint8_t *setup, size_t setup_length, void **instance, QevalError *error);
  /* Answers a batch with a batch. */
  int32_t (*call)(void *instance, struct ArrowArray *array, struct ArrowSchema *schema,
                  struct ArrowArray *out_array, struct ArrowSchema *out_schema, QevalError *error);
  /* Ends an instance. */
  void (*destroy)(void *instance);
  /* Makes numbers of merged statistics; null where no metric is pooled. Since 1.1. */
  int32_t (*finish)(void *instance, struct ArrowArray *array, struct ArrowSchema *schema,
                    struct ArrowArray *out_array, struct ArrowSchema *out_schema,
                    QevalError *error);
} QevalTable;

/* End of what is made. */

/* A plugin defines this function, without arguments, with QEVAL_PLUGIN_EXPORT before it. */
#if defined(_WIN32)
#define QEVAL_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define QEVAL_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define QEVAL_PLUGIN_EXPORT
#endif

QEVAL_PLUGIN_EXPORT const QevalTable *qeval_plugin_entry_v1(void);

#ifdef __cplusplus
}
#endif

#endif /* QEVAL_PLUGIN_H */
