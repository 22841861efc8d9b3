import type { JsonOperation, Operation } from '#contract/core/operation.ts'
import type { EntrySink } from './entry-sink.ts'
import type { Item, Reader } from './reader.ts'

/** Path parameters that the operations of a part take: the organization, and the app where there is one. */
export type Scope = { readonly org_id: string; readonly alias?: string }

/** One file of the archive, or of each app in it. */
export type Part = {
  readonly file: string
  readonly reads: readonly Operation[]
  readonly write: (reader: Reader, scope: Scope, sink: EntrySink) => Promise<void>
}

/** An answer, or null if the organization has no such thing. */
export function document(file: string, op: JsonOperation): Part {
  return {
    file,
    reads: [op],
    write: async (reader, scope, sink) =>
      sink.write(`${JSON.stringify(await reader.callOptional(op, inputFor(op, scope)), undefined, 2)}\n`),
  }
}

/** A list, one item in each line. */
export function records(file: string, op: JsonOperation): Part {
  return { file, reads: [op], write: (reader, scope, sink) => writeItems(reader, op, inputFor(op, scope), sink) }
}

type Key = (item: Item) => Record<string, unknown>

/** A list, of which each item is read for itself because the list has less of it. */
export function details(file: string, list: JsonOperation, one: JsonOperation, keyOf: Key): Part {
  return {
    file,
    reads: [list, one],
    write: async (reader, scope, sink) => {
      for await (const item of reader.items(list, inputFor(list, scope))) {
        const detail = await reader.callOptional(one, { ...inputFor(one, scope), ...keyOf(item) })
        await sink.record(detail ?? item)
      }
    },
  }
}

/** The lists that belong to each item of a list. Each line begins with the key of its item. */
export function children(file: string, list: JsonOperation, child: JsonOperation, keyOf: Key): Part {
  return {
    file,
    reads: [list, child],
    write: async (reader, scope, sink) => {
      for await (const item of reader.items(list, inputFor(list, scope))) {
        const key = keyOf(item)
        await writeItems(reader, child, { ...inputFor(child, scope), ...key }, sink, key)
      }
    },
  }
}

export async function writeItems(
  reader: Reader,
  op: JsonOperation,
  input: Record<string, unknown>,
  sink: EntrySink,
  key: Record<string, unknown> = {},
): Promise<void> {
  sink.records ??= 0
  for await (const item of reader.items(op, input)) await sink.record({ ...key, ...item })
}

/** Takes the parameters from the scope that the operation has. */
export function inputFor(op: JsonOperation, scope: Scope): Record<string, unknown> {
  return Object.fromEntries(Object.entries(scope).filter(([name]) => name in op.input.shape))
}
