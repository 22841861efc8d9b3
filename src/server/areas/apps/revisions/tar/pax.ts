import { TarFault } from './header.ts'

/** Changes of a pax extended header (POSIX.1-2001) to the entry after it. */
export type PaxChanges = { readonly path?: Buffer; readonly size?: number }

/** Reads records of the form `<length> <key>=<value>\n`. Only path and size matter to us; the rest is ignored. */
export function readPax(content: Buffer): PaxChanges {
  let path: Buffer | undefined
  let size: number | undefined
  for (const { key, value } of recordsOf(content)) {
    if (key.startsWith('GNU.sparse.')) throw new TarFault('is a sparse file, which is not supported')
    if (key === 'path') path = value
    if (key === 'size') size = readSize(value)
  }
  return { ...(path && { path }), ...(size !== undefined && { size }) }
}

function readSize(value: Buffer): number {
  const text = value.toString('latin1')
  if (!/^\d{1,15}$/.test(text)) throw new TarFault('has a size that cannot be read')
  return Number(text)
}

function* recordsOf(content: Buffer): Generator<{ key: string; value: Buffer }> {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const digits = space === -1 ? '' : content.toString('latin1', at, space)
    const end = at + (/^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : 0)
    const equals = content.indexOf(0x3d, space)
    // The record ends with a line feed, and its key with the first equals sign within the record.
    if (end > content.length || equals === -1 || equals >= end || content[end - 1] !== 0x0a) {
      throw new TarFault('has an extended header that cannot be read')
    }
    yield { key: content.toString('latin1', space + 1, equals), value: content.subarray(equals + 1, end - 1) }
    at = end
  }
}
