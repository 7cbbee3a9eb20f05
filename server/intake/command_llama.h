/*
 * command_llama.h - readers of llama.cpp's flags, and what is settled after them.
 *
 * Purpose: for command_llama*.c only: the tables and their readers lie in two files.
 */
#ifndef REGIME_COMMAND_LLAMA_H
#define REGIME_COMMAND_LLAMA_H

#include "command_parts.h"

flag_read_fn read_threads;       /* -1 leaves the number to the program */
flag_read_fn read_flash;         /* on, off, auto, or nothing behind it */
flag_read_fn read_gpu_layers;    /* a number, all, auto */
flag_read_fn read_devices;       /* names of devices with commas between, none */
flag_read_fn read_split;         /* shares of the devices */
flag_read_fn read_override;      /* tensors by pattern to a buffer */
flag_read_fn read_sampler;       /* tokens are sampled on the device */
flag_read_fn read_not_unified;   /* every slot has a context of its own */
flag_read_fn read_projector;     /* an encoder is loaded */
flag_read_fn read_no_projector;  /* none is */
flag_read_fn read_default_model; /* a switch that names a model */
flag_read_fn read_fork;          /* only ik_llama.cpp has such a flag */
flag_read_fn read_first;         /* the first number of a benchmark's list */
flag_read_fn read_kept_first;    /* the same, kept in a slot */

/* Slots, cells, micro-batch, devices and encoder. */
void llama_finish(struct reading *reading);
/* The same for a benchmark: its depth is part of the prompt. */
void llama_bench_finish(struct reading *reading);

#endif
