/** The amount of memory that a line states, and under which name. */
type MemorySample = { readonly name: string; readonly megabytes: number }

/** `rss=312MB`, `heapUsed: 120.5 MiB`, `memory usage 410 MB`, `"rss":327155712`, `memory_mb=87`, `heap_alloc_bytes=9437184`. */
const STATED =
  /\b((?:vm|max)?[_ ]?rss|resident(?:[_ ](?:memory|set|size))?|working[_ ]?set|heap(?:[_ ]?(?:used|alloc|in[_ ]?use|size|live))?|(?:used[_ ]?)?mem(?:ory)?(?:[_ ]?(?:usage|used|rss|total))?)(_?mi?b|_?bytes)?"?\s{0,3}[=:]?\s{0,3}(?:is |at )?(\d{1,15}(?:\.\d{1,9})?)\s?(bytes|b|kib|kb|mib|mb|gib|gb)?\b/i
/** Memory that is left after a collection, in the log of a Java machine: `Pause Young (Normal) 412M->310M(512M)`. */
const COLLECTED = /\b\d{1,9}[KMG]->(\d{1,9})([KMG])\(\d/
const MB = 1024 * 1024
const BYTES: Record<string, number> = {
  bytes: 1,
  b: 1,
  kb: 1024,
  kib: 1024,
  mb: MB,
  mib: MB,
  gb: 1024 * MB,
  gib: 1024 * MB,
}
const MAX_CHARACTERS = 2_000
/** A plain number is one of bytes from here on. A smaller one may count anything. */
const MIN_PLAIN_BYTES = MB

export function memoryOf(text: string): MemorySample | undefined {
  const collected = COLLECTED.exec(text.slice(0, MAX_CHARACTERS))
  if (collected)
    return { name: 'gc', megabytes: (Number(collected[1]) * BYTES[`${collected[2]!.toLowerCase()}b`]!) / MB }
  const found = STATED.exec(text.slice(0, MAX_CHARACTERS))
  if (!found) return undefined
  const [, name, suffix = '', number, unit = suffix.replace('_', '')] = found
  const plain = Number(number)
  if (unit === '' && plain < MIN_PLAIN_BYTES) return undefined
  const megabytes = (plain * (BYTES[unit.toLowerCase()] ?? 1)) / MB
  return { name: name!.toLowerCase().replaceAll(/[_ ]/g, ''), megabytes }
}
