import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { setDomains } from '#contract/auth/members.ts'
import { createCheck } from '#contract/checks/checks.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { CONSOLE_ACTS } from '#test/browser/console-acts.ts'
import { limitsOf } from '../scripts/console-limits.ts'

const CONSOLE = join(import.meta.dirname, '..', 'src', 'console')
const CONTRACT = join(import.meta.dirname, '..', 'src', 'contract')

function readConsole(): { file: string; text: string }[] {
  const files = globSync('**/*.{ts,tsx}', { cwd: CONSOLE }).filter((file) => !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(100)
  return files.map((file) => ({ file, text: readFileSync(join(CONSOLE, file), 'utf8') }))
}

/** Names of operations by the constants that hold them. */
async function namesByConstant(): Promise<ReadonlyMap<string, string>> {
  const modules = await Promise.all(
    globSync('**/*.ts', { cwd: CONTRACT })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => import(join(CONTRACT, file)) as Promise<Record<string, unknown>>),
  )
  const operations = new Set<unknown>(OPERATIONS)
  const constants = modules.flatMap((module) => Object.entries(module)).filter(([, value]) => operations.has(value))
  return new Map(constants.map(([constant, value]) => [constant, (value as { name: string }).name]))
}

it('CO-10 every operation with which a page changes something is among the acts that are pressed twice', async () => {
  const names = await namesByConstant()
  const writes = new Set(
    OPERATIONS.filter(({ effect, kind }) => effect === 'write' && kind === 'json').map(({ name }) => name),
  )
  const imported = readConsole()
    .flatMap(({ text }) => [...text.matchAll(/import (?!type)\{([^}]*)\} from '#contract\//g)])
    .flatMap(([, list]) => list!.split(',').map((name) => name.trim().split(' as ')[0]!))
    .flatMap((constant) => names.get(constant) ?? [])
    .filter((name) => writes.has(name))
  expect(imported.length).toBeGreaterThan(50)
  const pressed = new Set(CONSOLE_ACTS.map(({ operation }) => operation))
  expect([...new Set(imported)].filter((name) => !pressed.has(name) && !NOT_PRESSED.includes(name))).toEqual([])
})

/**
 * Changes that are chosen from a list or switched: they go through the same hook, but there is no button to press. Of the
 * last one a page only shows the command.
 */
const NOT_PRESSED = [
  'members.change-role',
  'notifications.change-subscription',
  'tickets.move',
  'data-sources.configure',
]

it('CO-10 only the one hook sends changes, so nothing goes around its guard', () => {
  const around = readConsole().filter(({ text }) => /useMutation|\.mutate\(/.test(text))
  expect(around.map(({ file }) => file)).toEqual(['call/use-act.ts'])
})

it('CO-10 limits of fields are those of the contract: lists, records, choices and numbers', () => {
  expect(limitsOf(setDomains)).toEqual({ 'domains.*': { maxLength: 253 } })
  expect(limitsOf(changeEnvironment)).toMatchObject({ 'set.#': { maxLength: 100 }, 'set.*': { maxLength: 32_768 } })
  expect(limitsOf(createCheck)).toMatchObject({
    name: { maxLength: 60 },
    'definition.instructions': { maxLength: 4_000 },
    'schedule.timezone': { maxLength: 64 },
    threshold: { min: 1, max: 100 },
  })
})
