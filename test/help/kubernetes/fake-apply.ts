type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

/** Which manager owns which fields of one object. A field is a path such as `.spec.replicas`; lists are one field. */
export type Owners = Map<string, Set<string>>

type Conflict = { manager: string; field: string }

/** Identity of the object, which nobody owns. */
const UNOWNED = new Set(['.apiVersion', '.kind', '.metadata.name', '.metadata.namespace'])

/**
 * Applies a configuration to an object as a server-side apply does: fields whose value would change and that another
 * manager owns are conflicts; forced, they change hands; fields that this manager applied before and leaves out now are
 * removed unless another owns them too.
 */
export function applyTo(
  target: object,
  configuration: object,
  { manager, force }: { manager: string; force: boolean },
  owners: Owners,
): Conflict[] {
  const object = target as JsonObject
  const fields = leavesOf(configuration as JsonObject)
  const others = [...owners].filter(([name]) => name !== manager)
  const conflicts = [...fields].flatMap(([field, value]) =>
    others
      .filter(([, owned]) => owned.has(field) && !isSame(readField(object, field), value))
      .map(([name]) => ({ manager: name, field })),
  )
  if (conflicts.length > 0 && !force) return conflicts
  for (const { manager: loser, field } of conflicts) owners.get(loser)!.delete(field)
  const mine = new Set(fields.keys())
  for (const field of owners.get(manager) ?? []) {
    if (!mine.has(field) && !others.some(([, owned]) => owned.has(field))) removeField(object, field)
  }
  for (const [field, value] of fields) writeField(object, field, value)
  owners.set(manager, mine)
  return []
}

/** Paths have dots in keys, so that keys are kept apart by a character that none contains. */
const SEPARATOR = '\u0000'

export function shown(field: string): string {
  return `.${field.split(SEPARATOR).join('.')}`
}

function leavesOf(value: JsonObject, path: readonly string[] = []): Map<string, Json> {
  const leaves = new Map<string, Json>()
  for (const [key, child] of Object.entries(value)) {
    const at = [...path, key]
    if (isObject(child) && Object.keys(child).length > 0) {
      for (const [field, leaf] of leavesOf(child, at)) leaves.set(field, leaf)
    } else if (!UNOWNED.has(`.${at.join('.')}`)) leaves.set(at.join(SEPARATOR), child)
  }
  return leaves
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(a: Json | undefined, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function readField(object: JsonObject, field: string): Json | undefined {
  return field.split(SEPARATOR).reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), object)
}

function writeField(object: JsonObject, field: string, value: Json): void {
  const path = field.split(SEPARATOR)
  let at = object
  for (const key of path.slice(0, -1)) {
    if (!isObject(at[key])) at[key] = {}
    at = at[key]
  }
  at[path.at(-1)!] = value
}

function removeField(object: JsonObject, field: string): void {
  const path = field.split(SEPARATOR)
  const parent = path.slice(0, -1).reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), object)
  if (isObject(parent)) delete parent[path.at(-1)!]
}
