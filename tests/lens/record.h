/* SPDX-License-Identifier: MIT */
/*
 * The log's own lines, "key=value" after a word that says what it is:
 *   event name=move cpu=0 ps=123     a step, in modelled picoseconds
 *   counts cpu=0 ps=123 ...          what was executed, whenever modelling ends
 *   end ps=123 stalls=0 unexplained=0    the last one; stalls: turn.h
 */
#ifndef LENS_RECORD_H
#define LENS_RECORD_H

void record_event(const char *name, unsigned int cpu);
void record_counts(void);
void record_end(void);

#endif /* LENS_RECORD_H */
