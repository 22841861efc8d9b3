import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findDoubleExports, findUnusedExports } from '#test/rules/exports.ts'
import { findViolations, type SourceFile } from '#test/rules/layers.ts'
import { ALLOWED_RACES, ALLOWED_REACTIONS, findLongPromises, reactionsIn } from '#test/rules/long-promises.ts'
import { ALLOWED_STATE, findModuleState } from '#test/rules/module-state.ts'
import { findSqlOutsideStores, findUnusedExceptions } from '#test/rules/stores.ts'

const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

function readFiles(pattern: string, cwd: string): SourceFile[] {
  // A full run of the benchmarks installs its peers below bench/.
  const paths = globSync(pattern, { cwd, exclude: ['**/node_modules'] })
  return paths.map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(cwd, path), 'utf8') }))
}

function readSources(): SourceFile[] {
  const files = readFiles('**/*.{ts,tsx}', SRC)
  expect(files.length).toBeGreaterThan(50)
  return files
}

function readEverything(): SourceFile[] {
  return [...readSources(), ...readFiles('{test,bench,scripts,bin}/**/*.{ts,js}', ROOT)]
}

describe('imports point one way', () => {
  it('the whole of src keeps the rules', () => {
    expect(findViolations(readSources())).toEqual([])
  })

  it.each([
    [
      'an area importing an area',
      'server/areas/auth/a.ts',
      `import { x } from '../data-sources/index.ts'`,
      'an area never imports another area',
    ],
    [
      'a dynamic import of an area',
      'server/areas/auth/a.ts',
      `const x = await import('../data-sources/index.ts')`,
      'an area never imports another area',
    ],
    [
      'the agent reaching deploys',
      'server/areas/maintenance/agent.ts',
      `import { deploy } from '../apps/deploys/process.ts'`,
      'an area never imports another area',
    ],
    [
      'an area importing compose',
      'server/areas/auth/a.ts',
      `import type { Parts } from '../../compose/parts.ts'`,
      'server/areas/auth may not import server',
    ],
    [
      'compose reaching inside an area',
      'server/compose/a.ts',
      `import { x } from '../areas/auth/store.ts'`,
      'server may not import server/areas/auth',
    ],
    [
      'the contract importing lib',
      'contract/a.ts',
      `import { makeId } from '#lib/ids.ts'`,
      'contract may not import lib',
    ],
    ['the contract importing a package', 'contract/a.ts', `import pg from 'pg'`, 'contract imports zod only'],
    [
      'lib importing the contract',
      'lib/a.ts',
      `import { ROLES } from '#contract/core/roles.ts'`,
      'lib may not import contract',
    ],
    [
      'edge importing an area',
      'edge/a.ts',
      `import { x } from '../server/areas/auth/index.ts'`,
      'edge may not import server/areas/auth',
    ],
    [
      'the CLI importing the server',
      'cli/a.ts',
      `import { x } from '../server/config/config.ts'`,
      'cli may not import server',
    ],
    ['the CLI importing a driver', 'cli/a.ts', `import pg from 'pg'`, 'only svc db embed connects to Postgres'],
    [
      'the console importing lib',
      'console/a.tsx',
      `import { makeId } from '#lib/ids.ts'`,
      'console may not import lib',
    ],
    [
      'a connection outside the entrance',
      'server/areas/databases/move/a.ts',
      'const client = new pg.Client({ connectionString })',
      'engine/postgres/entrance.ts and engine/pools.ts only',
    ],
    [
      'a connection of a class that was imported by name',
      'server/areas/databases/move/a.ts',
      `import { Client } from 'pg'\nnew Client({ connectionString })`,
      'engine/postgres/entrance.ts and engine/pools.ts only',
    ],
    [
      'a pool outside the entrance',
      'server/areas/data-sources/a.ts',
      'const db = openPostgres({ url, onError })',
      'engine/postgres/entrance.ts and engine/pools.ts only',
    ],
    ...[
      `import postgres from 'pg'\nnew postgres.Client()`,
      `import { Client as C } from 'pg'\nnew C()`,
      `import * as driver from 'pg'`,
      `import Pool from 'pg-pool'`,
      `const { default: driver } = await import('pg')`,
      `import { openPostgres as open } from '#lib/db/postgres.ts'`,
      `import { createPools as make } from './engine/pools.ts'`,
      'const db = deps.pools.open(adminUrl)',
    ].map((text) => [
      `a connection by ${text.replaceAll('\n', ' ')}`,
      'server/areas/databases/a.ts',
      text,
      'engine/postgres/entrance.ts and engine/pools.ts only',
    ]),
    [
      'a connection in a file that may use the driver',
      'server/areas/databases/engine/schema-grants.ts',
      `import pg from 'pg'\nconst { Client } = pg`,
      'engine/postgres/entrance.ts and engine/pools.ts only',
    ],
    ...[
      'engine.admin.entrance.enter<number>(name, 1_000, work)',
      'const { enter } = engine.admin.entrance',
      'admin.entrance.enter?.(name, 1_000, work)',
      `import { createEntrance } from './entrance.ts'`,
    ].map((text) => [
      `an entry by ${text}`,
      'server/areas/databases/engine/postgres/a.ts',
      text,
      'add it to ENTRANTS and to hostile-database.test.ts',
    ]),
    [
      'a program of Postgres by its path',
      'server/process/backup.ts',
      `startProcess('/usr/bin/vacuumdb', args)`,
      'programs of Postgres are started by databases/copy/programs.ts only',
    ],
    [
      'a new file that enters managed databases',
      'server/areas/databases/a.ts',
      'await admin.entrance.enter(name, 1_000, work)',
      'add it to ENTRANTS and to hostile-database.test.ts',
    ],
    [
      'another start of pg_dump',
      'server/process/backup.ts',
      `spawn('pg_dump', args)`,
      'programs of Postgres are started by databases/copy/programs.ts only',
    ],
    ['process.env in a handler', 'server/areas/auth/a.ts', 'const key = process.env.KEY', 'read the environment'],
    ['the environment taken apart', 'lib/a.ts', 'const { env } = process', 'read the environment'],
    [
      'a program started in an area',
      'server/areas/auth/a.ts',
      `import { spawn } from 'node:child_process'`,
      'programs are started by',
    ],
    [
      'a program started by a dynamic import',
      'server/areas/auth/a.ts',
      `const { fork } = await import('child_process')`,
      'programs are started by',
    ],
    ['a cluster of processes', 'lib/a.ts', `import cluster from 'node:cluster'`, 'programs are started by'],
    ['another program in our place', 'server/a.ts', 'process.execve(file)', 'programs are started by'],
    ['a print of its own', 'server/process/a.ts', 'process.stdout.write(name)', 'terminals are written to by'],
    ['a print to the console', 'server/areas/auth/a.ts', 'console.log(name)', 'terminals are written to by'],
    ['a stream under another name', 'server/a.ts', 'const { stderr } = process', 'terminals are written to by'],
    ['a bare fetch', 'server/areas/auth/a.ts', `await fetch('http://x')`, 'no bare fetch'],
    ['the global fetch', 'edge/a.ts', 'const send = globalThis.fetch', 'no bare fetch'],
    ['fetch under another name', 'server/areas/auth/a.ts', 'const send = fetch', 'no bare fetch'],
    ['fetch taken out of the global', 'server/areas/auth/a.ts', 'const { fetch } = globalThis', 'no bare fetch'],
    ['fetch by its name as text', 'server/areas/auth/a.ts', "globalThis['fetch']", 'no bare fetch'],
    [
      'a double-quoted import of an area',
      'server/areas/auth/a.ts',
      'import { x } from "../data-sources/index.ts"',
      'an area never imports another area',
    ],
    [
      'a socket in an area',
      'server/areas/notifications/a.ts',
      `import { connect } from 'node:net'`,
      'HTTP goes through safeFetch',
    ],
    [
      'undici in an area',
      'server/areas/notifications/a.ts',
      `import { request } from 'undici'`,
      'HTTP goes through safeFetch',
    ],
    [
      'a part of undici in an area',
      'server/areas/notifications/channels/webhook/a.ts',
      `import Agent from 'undici/lib/dispatcher/agent.js'`,
      'HTTP goes through safeFetch',
    ],
    [
      'http without its prefix in an area',
      'server/areas/notifications/channels/webhook/a.ts',
      `import { request } from 'http'`,
      'HTTP goes through safeFetch',
    ],
    [
      'a dynamic import of node:https in an area',
      'server/areas/notifications/channels/webhook/a.ts',
      `const { request } = await import('node:https')`,
      'HTTP goes through safeFetch',
    ],
    ['a WebSocket in an area', 'server/areas/notifications/a.ts', 'new WebSocket(url)', 'no bare fetch'],
    [
      'a module of Node by its name as text',
      'server/areas/notifications/a.ts',
      `process.getBuiltinModule('node:net')`,
      'no bare fetch',
    ],
    [
      'node:http in an area',
      'server/areas/notifications/a.ts',
      `import { request } from 'node:http'`,
      'HTTP goes through safeFetch',
    ],
    [
      'a mail library in an area',
      'server/areas/notifications/a.ts',
      `import SMTPConnection from 'nodemailer/lib/smtp-connection'`,
      'mail goes through lib/net/mail/mail.ts',
    ],
  ])('planted: %s is found', (_, path, text, fault) => {
    const violations = findViolations([{ path, text }])
    expect(violations).toHaveLength(1)
    expect(violations[0]).toContain(path)
    expect(violations[0]).toContain(fault)
  })

  it('planted: a cycle is found', () => {
    const files = [
      { path: 'lib/a.ts', text: `import { b } from './b.ts'` },
      { path: 'lib/b.ts', text: `import { c } from './c.ts'` },
      { path: 'lib/c.ts', text: `export { a } from './a.ts'` },
    ]
    expect(findViolations(files)).toEqual(['a cycle: lib/a.ts -> lib/b.ts -> lib/c.ts -> lib/a.ts'])
  })

  it('planted: folders of an area that import each other are found, but not what index.ts imports', () => {
    const area = 'server/areas/tickets'
    const files = [
      { path: `${area}/index.ts`, text: `import './list/list.ts'` },
      { path: `${area}/list/list.ts`, text: `import '../store/read.ts'` },
      { path: `${area}/store/read.ts`, text: `import '../list/order.ts'` },
    ]
    expect(findViolations(files)).toEqual([`a cycle: ${area}/list -> ${area}/store -> ${area}/list`])
  })

  it('planted: a client part that names fetch twice is found', () => {
    const files = [
      { path: 'cli/a.ts', text: 'await fetch(x)' },
      { path: 'cli/b.ts', text: 'await fetch(y)' },
    ]
    expect(findViolations(files)).toEqual(['cli names fetch in cli/a.ts, cli/b.ts: once is enough'])
  })

  it('comments, tests and sentences do not count', () => {
    const files = [
      { path: 'server/areas/auth/a.ts', text: `// import '../data-sources/index.ts'\n/* process.env */` },
      { path: 'server/areas/auth/a.test.ts', text: 'await fetch(process.env.URL)' },
      { path: 'contract/a.ts', text: `text: z.string().describe('Whom it came from'),\nmore: z.literal('x')` },
    ]
    expect(findViolations(files)).toEqual([])
  })
})

describe('SQL of an area is in its stores', () => {
  it('all areas keep the rule', () => {
    expect(findSqlOutsideStores(readSources())).toEqual([])
  })

  it('every exception is still needed', () => {
    expect(findUnusedExceptions(readSources())).toEqual([])
  })

  it.each([
    ['a statement', 'server/areas/tickets/file.ts', 'await tx.query(sql`select 1`)'],
    ['a condition', 'server/areas/tickets/model/viewer.ts', 'const own = sql`and reporter_id = 1`'],
    ['a statement of another part that is run', 'server/areas/tickets/file.ts', 'await db.query(records)'],
    ['a statement with a type', 'server/areas/tickets/file.ts', 'const [row] = await db.query<Row>(records)'],
    ['a statement over several lines', 'server/areas/tickets/file.ts', 'await db\n  .query (records)'],
    ['a name that only ends like a store', 'server/areas/tickets/restore.ts', 'sql`select 1`'],
    ['a folder that only ends like a store', 'server/areas/tickets/restore/file.ts', 'sql`select 1`'],
    ['a file beside an exception', 'server/areas/notifications/deliver/check.ts', 'sql`select 1`'],
    ['a file that begins as an exception', 'server/areas/example/fill.ts.ts', 'sql`select 1`'],
  ])('planted: %s outside a store is found', (_, path, text) => {
    expect(findSqlOutsideStores([{ path, text }])).toEqual([`${path}: SQL of an area is in its stores`])
  })

  it('stores, exceptions, tests, comments and other parts do not count', () => {
    const text = 'await tx.query(sql`select 1`)'
    const files = [
      { path: 'server/areas/tickets/store.ts', text },
      { path: 'server/areas/tickets/list/replies-store.ts', text },
      { path: 'server/areas/tickets/store/replies.ts', text },
      { path: 'server/areas/databases/engine/postgres/drop.ts', text },
      { path: 'server/areas/tickets/file.test.ts', text },
      { path: 'server/areas/tickets/file.ts', text: '/** As sql`select 1` does. */\nconst query = readQuery(request)' },
      { path: 'lib/work/lease.ts', text },
    ]
    expect(findSqlOutsideStores(files)).toEqual([])
  })
})

describe('modules hold no state', () => {
  it('the whole of src keeps the rule', () => {
    expect(findModuleState(readSources())).toEqual([])
  })

  it('every exception still exists, and ARCHITECTURE.md names its file', () => {
    const architecture = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    for (const exception of ALLOWED_STATE) {
      const [path = '', name] = exception.split(' ')
      expect(readFileSync(join(SRC, path), 'utf8')).toMatch(new RegExp(`^(?:export )?(?:let|const) ${name}\\b`, 'm'))
      expect(architecture).toContain(`\`${path.replace('server/', '')}\``)
    }
  })

  it.each([
    ['a variable', 'let count = 0'],
    ['an exported variable', 'export let count = 0'],
    ['a map that is filled', 'const count = new Map<string, number>()\nexport const add = () => count.set(1, 2)'],
    ['a set that is emptied', 'const count = new Set()\nexport function reset() {\n  count.clear()\n}'],
    ['a list that grows', 'const count: string[] = []\nexport const add = () => void count.push(1)'],
    ['an object that is assigned to', 'const count = { n: 0 }\nexport const add = () => {\n  count.n += 1\n}'],
    ['an element that is assigned to', 'const count = [0]\nexport const add = () => {\n  count[0] = 1\n}'],
    ['a pattern with a position', 'const count = /a/g\nexport const at = (n: number) => {\n  count.lastIndex = n\n}'],
    ['an async context', 'const count = new AsyncLocalStorage<true>()'],
    ['an object with a life of its own', 'export const count: Cache = createCache(10)'],
  ])('planted: %s is found', (_, text) => {
    expect(findModuleState([{ path: 'lib/a.ts', text }])).toEqual(['lib/a.ts: count is state of the module'])
  })

  it('constants, state inside functions, and tests do not count', () => {
    const files = [
      { path: 'lib/a.ts', text: `const NAMES = new Set(['a'])\nexport const has = (name: string) => NAMES.has(name)` },
      { path: 'lib/b.ts', text: `export function create() {\n  let n = 0\n  const m = new Map()\n  m.set(n, ++n)\n}` },
      { path: 'lib/c.ts', text: `const LIMIT = 3\nexport const same = (n: number) => LIMIT === n || n >= LIMIT` },
      { path: 'lib/a.test.ts', text: 'let count = 0' },
    ]
    expect(findModuleState(files)).toEqual([])
  })
})

describe('promises that live as long as a process', () => {
  it('OP-03 no race and no reaction is added to one', () => {
    expect(findLongPromises(readSources())).toEqual([])
  })

  it('OP-03 every exception still exists', () => {
    for (const path of Object.keys(ALLOWED_RACES)) {
      expect(readFileSync(join(SRC, path), 'utf8')).toContain('Promise.race')
    }
    for (const exception of Object.keys(ALLOWED_REACTIONS)) {
      const [path = '', receiver] = exception.split(' ')
      expect(reactionsIn(readFileSync(join(SRC, path), 'utf8'))).toContain(receiver)
    }
  })

  it.each([
    ['a race', 'await Promise.race([a, b])', 'lib/a.ts: Promise.race outside lib/async/race.ts'],
    ['a race under another name', 'const { race } = Promise', 'lib/a.ts: Promise.race outside lib/async/race.ts'],
    [
      'a reaction to a field',
      'this.#killed.promise.then(stop)',
      'lib/a.ts: this.#killed.promise may outlive its reactions',
    ],
    ['a reaction to a property', 'void host.stopped.then(stop)', 'lib/a.ts: host.stopped may outlive its reactions'],
  ])('OP-03 %s is found', (_, text, fault) => {
    expect(findLongPromises([{ path: 'lib/a.ts', text }])).toEqual([fault])
  })

  it('reactions to the result of a call do not count', () => {
    const text = 'await this.#ask(1).catch(() => undefined)\nawait client.end().finally(stop)\nfirst.then(done)'
    expect(findLongPromises([{ path: 'lib/a.ts', text }])).toEqual([])
  })
})

describe('exports', () => {
  it('everything that is exported is imported', () => {
    expect(findUnusedExports(readEverything())).toEqual([])
  })

  it('no name is exported twice in one room', () => {
    expect(findDoubleExports(readEverything())).toEqual([])
  })

  it.each([
    ['a function', 'export async function thing() {}'],
    ['a constant', 'export const thing = 1'],
    ['a type', 'export type thing = string'],
    ['a class', 'export class thing {}'],
    ['a list', 'const thing = 1\nexport { thing }'],
    ['a renamed one', 'const inner = 1\nexport { inner as thing }'],
    ['one that is passed on', `export { thing } from './c.ts'`],
  ])('planted: %s that nothing imports is found', (_, text) => {
    const files = [
      { path: 'lib/a.ts', text },
      { path: 'lib/b.ts', text: `import { other } from './a.ts'` },
    ]
    expect(findUnusedExports(files)).toEqual(['lib/a.ts: thing is exported and nothing imports it'])
  })

  it.each([
    ['imported by name', 'edge/b.ts', `import { thing } from '#lib/a.ts'`],
    ['imported under another name', 'edge/b.ts', `import { type other, thing as mine } from '#lib/a.ts'`],
    ['imported as a whole', 'lib/b.ts', `import * as all from './a.ts'`],
    ['loaded when it is needed', 'lib/b.ts', `const { thing } = await import('./a.ts')`],
    ['imported by a test of its room', 'lib/deep/b.test.ts', `import { thing } from '../a.ts'`],
    ['imported by a benchmark', 'bench/x/b.ts', `import { thing } from '../../src/lib/a.ts'`],
  ])('an export is used when it is %s', (_, path, text) => {
    const files = [
      { path: 'lib/a.ts', text: 'export const thing = 1' },
      { path, text },
    ]
    expect(findUnusedExports(files)).toEqual([])
  })

  it('planted: an export that only a test of another room or a test helper imports is found', () => {
    const files = [
      { path: 'lib/a.ts', text: 'export const thing = 1' },
      { path: 'edge/b.test.ts', text: `import { thing } from '#lib/a.ts'` },
      { path: 'test/help/c.ts', text: `import { thing } from '#lib/a.ts'` },
    ]
    expect(findUnusedExports(files)).toEqual(['lib/a.ts: thing is exported and nothing imports it'])
  })

  it('planted: an export that nothing uses of a module imported as a whole is found', () => {
    const files = [
      { path: 'lib/a.ts', text: 'export const used = 1\nexport const thing = 2' },
      { path: 'lib/b.ts', text: `import * as all from './a.ts'\nall.used` },
    ]
    expect(findUnusedExports(files)).toEqual(['lib/a.ts: thing is exported and nothing imports it'])
  })

  it('planted: a test helper that no test imports is found', () => {
    const files = [
      { path: 'test/help/a.ts', text: 'export const used = 1\nexport const unused = 2' },
      { path: 'lib/b.test.ts', text: `import { used } from '#test/a.ts'` },
    ]
    expect(findUnusedExports(files)).toEqual(['test/help/a.ts: unused is exported and nothing imports it'])
  })

  it('planted: a name that two files of an area export is found; other areas and passing on do not count', () => {
    const files = [
      { path: 'server/areas/auth/a.ts', text: 'export const thing = 1' },
      { path: 'server/areas/auth/deep/b.ts', text: 'export type thing = string' },
      { path: 'server/areas/auth/index.ts', text: `export { thing } from './a.ts'` },
      { path: 'server/areas/ai/c.ts', text: 'export const thing = 1' },
    ]
    expect(findDoubleExports(files)).toEqual([
      'server/areas/auth: thing is exported by server/areas/auth/a.ts and server/areas/auth/deep/b.ts',
    ])
  })
})
