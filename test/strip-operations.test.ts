import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stripOperations } from '../scripts/strip-operations.ts'

it('CO-06 pages have of an operation only what their client reads', () => {
  const source = `
const common = { kind: 'json', access: byAdmin, input: z.object({}) } as const
const page = { ...common, effect: 'read' } as const
export const readThing = operation({
  ...page,
  name: 'things.read',
  method: 'GET',
  path: '/api/things/{id}',
  summary: 'Read a thing',
  output: Thing,
})
`
  expect(stripOperations(source)).toContain(
    `readThing = { kind: 'json', effect: 'read', name: 'things.read', method: 'GET', path: '/api/things/{id}' }`,
  )
})

it('CO-06 pages have what operations of one method share, and what an operation has in its place', () => {
  const source = `export const search = operation({ ...jsonPost, effect: 'read', name: 'things.search', input: Search })`
  expect(stripOperations(source)).toBe(
    `export const search = { kind: "json", method: "POST", effect: "write", effect: 'read', name: 'things.search' }`,
  )
})

it('CO-06 a schema of the contract that no page uses can be left out, and values without calls stay as they are', () => {
  const source = `export const KINDS = ['a', 'b'] as const
export const Kind = z.enum(KINDS).describe('A kind')
export function isKind(value: string) {
  const known = KINDS.includes(value)
  return known
}
`
  expect(stripOperations(source)).toBe(
    source.replace(`z.enum(KINDS).describe('A kind')`, `/* @__PURE__ */ (() => (z.enum(KINDS).describe('A kind')))()`),
  )
})

it('CO-06 an operation whose properties cannot be found is refused in place of being built without them', () => {
  expect(() => stripOperations('export const read = operation({ ...elsewhere })')).toThrow(/object literal/)
  expect(() => stripOperations('export const read = operation(definition)')).toThrow(/object literal/)
})

const CONSOLE = join(import.meta.dirname, '..', 'src', 'console')
/** Properties of operations that the build leaves out. */
const LEFT_OUT =
  'access|bodyLimit|consumes|description|errors|event|format|input|output|produces|rateLimits|summary|tool'

/** Finds values, not types: `typeof readApp.output` is never in the built page. */
function readsIn(text: string): string[] {
  const names = [...text.matchAll(/import (?!type)\{([^}]*)\} from '#contract\//g)].flatMap(([, list]) =>
    list!.split(',').map((name) => name.trim().split(' as ').at(-1)!),
  )
  return names
    .filter((name) => /^[a-z]\w*$/.test(name))
    .flatMap((name) => text.match(new RegExp(`(?<!typeof )(?<![.\\w])${name}\\.(?:${LEFT_OUT})\\b`, 'g')) ?? [])
}

it('CO-06 no page reads what the build leaves out of operations', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: CONSOLE }).filter((file) => !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((file) =>
    readsIn(readFileSync(join(CONSOLE, file), 'utf8')).map((read) => `${file}: ${read}`),
  )
  expect(found).toEqual([])
})

it('CO-06 planted: a read of a property that is left out is found, its type is not', () => {
  const text = `import { readApp } from '#contract/apps/apps.ts'
type App = z.infer<typeof readApp.output>
const tool = readApp.tool.name`
  expect(readsIn(text)).toEqual(['readApp.tool'])
})
