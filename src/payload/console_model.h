/* SPDX-License-Identifier: MIT */
/*
 * The consoles that can be printed on, as data; for C and assembly. A character is sent by waiting
 * until a status register says that there is room, and one store. Baud rate, pins and clocks are as
 * whoever ran before has left them.
 */
#ifndef PAYLOAD_CONSOLE_MODEL_H
#define PAYLOAD_CONSOLE_MODEL_H

/* Registers' offsets are in bytes, their fields' masks and values as in a 32-bit access. */
#define PL011_DR      0x00
#define PL011_FR      0x18
#define PL011_FR_TXFF 0x20 /* no room */

#define UART16550_THR	   0 /* register numbers: they lie 1 << reg-shift bytes apart */
#define UART16550_LSR	   5
#define UART16550_LSR_THRE 0x20 /* room */

#define CADENCE_SR	  0x2c
#define CADENCE_SR_TXFULL 0x10
#define CADENCE_FIFO	  0x30

#define IMX_UTXD       0x40
#define IMX_UTS	       0xb4
#define IMX_UTS_TXFULL 0x10

/* How the registers are accessed: so many bytes at a time, as reg-io-width says it. Or there are
 * none, and somebody is asked: a debugger (Arm Semihosting, SYS_WRITEC), or the hypervisor Xen
 * (HYPERVISOR_console_io). */
#define CONSOLE_SEMIHOSTED 0
#define CONSOLE_BYTES	   1
#define CONSOLE_HYPERCALL  2
#define CONSOLE_WORDS	   4

#define CONSOLE_ANY_SHIFT (-1) /* the tree's reg-shift and reg-io-width mean nothing */

#define CONSOLE_16550_NAMES "ns16550a\0ns16550\0snps,dw-apb-uart\0"

/*
 * X(name, compatible strings, reg-shift, status register, mask of its bits, their value when a
 * character is taken, data register, access). A device tree's console is of the first model that
 * has one of its compatible strings, its reg-shift and its reg-io-width.
 */
/* clang-format off */
#define CONSOLE_MODELS(X) \
	X(PL011, "arm,pl011\0arm,sbsa-uart\0", CONSOLE_ANY_SHIFT, \
	  PL011_FR, PL011_FR_TXFF, 0, PL011_DR, CONSOLE_WORDS) \
	X(16550_BYTES, CONSOLE_16550_NAMES, 0, \
	  UART16550_LSR, UART16550_LSR_THRE, UART16550_LSR_THRE, UART16550_THR, CONSOLE_BYTES) \
	X(16550_SPACED, CONSOLE_16550_NAMES, 2, \
	  UART16550_LSR << 2, UART16550_LSR_THRE, UART16550_LSR_THRE, UART16550_THR << 2, CONSOLE_BYTES) \
	X(16550_WORDS, CONSOLE_16550_NAMES, 2, \
	  UART16550_LSR << 2, UART16550_LSR_THRE, UART16550_LSR_THRE, UART16550_THR << 2, CONSOLE_WORDS) \
	X(BCM2835_AUX, "brcm,bcm2835-aux-uart\0", CONSOLE_ANY_SHIFT, \
	  UART16550_LSR << 2, UART16550_LSR_THRE, UART16550_LSR_THRE, UART16550_THR << 2, CONSOLE_WORDS) \
	X(CADENCE, "cdns,uart-r1p12\0cdns,uart-r1p8\0xlnx,xuartps\0", CONSOLE_ANY_SHIFT, \
	  CADENCE_SR, CADENCE_SR_TXFULL, 0, CADENCE_FIFO, CONSOLE_WORDS) \
	X(IMX, "fsl,imx6q-uart\0fsl,imx21-uart\0", CONSOLE_ANY_SHIFT, \
	  IMX_UTS, IMX_UTS_TXFULL, 0, IMX_UTXD, CONSOLE_WORDS) \
	X(SEMIHOSTING, "", CONSOLE_ANY_SHIFT, 0, 0, 0, 0, CONSOLE_SEMIHOSTED) \
	X(XEN, "", CONSOLE_ANY_SHIFT, 0, 0, 0, 0, CONSOLE_HYPERCALL)
/* clang-format on */

#define CONSOLE_PAGE  4096 /* registers lie in one page of this size, */
#define CONSOLE_ALIGN 64   /* and begin at a multiple of this in it */

#ifdef __ASSEMBLER__
.set console_model_next, 0
#define CONSOLE_MODEL_SET(name, ...)             \
	.set CONSOLE_##name, console_model_next; \
	.set console_model_next, console_model_next + 1;
	CONSOLE_MODELS(CONSOLE_MODEL_SET)
#undef CONSOLE_MODEL_SET
#else
enum console_model {
#define CONSOLE_MODEL_ENUM(name, ...) CONSOLE_##name,
	CONSOLE_MODELS(CONSOLE_MODEL_ENUM)
#undef CONSOLE_MODEL_ENUM
		CONSOLE_MODEL_COUNT
};
#endif

#endif /* PAYLOAD_CONSOLE_MODEL_H */
