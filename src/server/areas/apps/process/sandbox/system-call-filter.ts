import { ABSENT_CALLS, CLONE, REFUSED_CALLS, SOCKET } from './system-calls.ts'

type Architecture = 'x64' | 'arm64'

/** AUDIT_ARCH_… of linux/audit.h. */
const AUDIT_ARCHITECTURE: Record<Architecture, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

// Offsets in struct seccomp_data. Arguments are little-endian on both, so this is the lower half of the first.
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16

const ALLOW = 0x7fff_0000
const KILL_PROCESS = 0x8000_0000
const refuse = (errno: number) => 0x0005_0000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x7e02_0000
/** Unix, IPv4, IPv6 and netlink. Others, such as vsock, do not end at the network namespace. */
const SOCKET_FAMILIES = [1, 2, 10, 16]
/** Numbers of the x32 ABI begin here. */
const X32 = 0x4000_0000

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const answer = (action: number): Instruction => [0x06, 0, 0, action]
/** Runs the next `count` instructions only if the loaded value is equal; otherwise goes on after them. */
const ifEqual = (value: number, ...then: Instruction[]): Instruction[] => [[0x15, 0, then.length, value], ...then]
const ifAtLeast = (value: number, ...then: Instruction[]): Instruction[] => [[0x35, 0, then.length, value], ...then]
const ifAnyBit = (value: number, ...then: Instruction[]): Instruction[] => [[0x45, 0, then.length, value], ...then]

/**
 * Returns the seccomp program for apps, as `bwrap --seccomp` reads it: what `system-calls.ts` lists is refused, the rest
 * is allowed. Undefined on architectures whose system calls are not listed.
 */
export function systemCallFilter(architecture: string): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined
  return encode([
    load(ARCHITECTURE),
    ...ifEqual(AUDIT_ARCHITECTURE[architecture], [0x05, 0, 0, 1]),
    answer(KILL_PROCESS),
    load(NUMBER),
    ...(architecture === 'x64' ? ifAtLeast(X32, answer(refuse(ENOSYS))) : []),
    ...numbersOf(REFUSED_CALLS, architecture).flatMap((number) => ifEqual(number, answer(refuse(EPERM)))),
    ...numbersOf(ABSENT_CALLS, architecture).flatMap((number) => ifEqual(number, answer(refuse(ENOSYS)))),
    ...ifEqual(
      CLONE[architecture],
      load(FIRST_ARGUMENT),
      ...ifAnyBit(NAMESPACE_FLAGS, answer(refuse(EPERM))),
      answer(ALLOW),
    ),
    ...ifEqual(
      SOCKET[architecture],
      load(FIRST_ARGUMENT),
      ...SOCKET_FAMILIES.flatMap((family) => ifEqual(family, answer(ALLOW))),
      answer(refuse(EAFNOSUPPORT)),
    ),
    answer(ALLOW),
  ])
}

function numbersOf(calls: typeof REFUSED_CALLS, architecture: Architecture): number[] {
  return calls
    .map(([, x64, arm64]) => (architecture === 'x64' ? x64 : arm64))
    .filter((number): number is number => number !== undefined)
}

/** Writes struct sock_filter for each instruction. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [n, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(ifTrue, n * 8 + 2)
    bytes.writeUInt8(ifFalse, n * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, n * 8 + 4)
  }
  return bytes
}
