import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { workerEntry } from '#lib/files/bundle.ts'
import { openTestEngine, single, type TestEngine } from '#test/databases/embedded-engine.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { sideModule } from '#test/databases/side-module.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { DatabaseRow } from '../../model/store.ts'
import { EngineProcess } from './engine-process.ts'
import { type Command, type EnginePlaces, engineCommand } from './sandbox.ts'
import { messagesOf, query } from './wire-messages.ts'

const BUBBLEWRAP = '/usr/bin/bwrap'
let engine: TestEngine
let row: DatabaseRow
let listener: Server
let connections = 0

beforeAll(async () => {
  engine = openTestEngine()
  row = await engine.make('attacked')
  writeFileSync(join(engine.dataDir, 'secrets.json'), 'TOPSECRET')
  listener = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  listener.close()
  await engine[Symbol.asyncDispose]()
})
beforeEach(() => {
  connections = 0
  rmSync(reportFile(), { force: true })
})

const reportFile = () => join(engine.folderOf(row), 'attack.json')

type Report = { secret: string; child: string; environment: string; uncounted: string }

/**
 * Code that tries what an attacker would once inside an engine's process. It leaves its report in the engine's folder.
 */
function payload(): string {
  const { port } = listener.address() as { port: number }
  return `(() => {
    const use = (name) => process.getBuiltinModule(name)
    const tried = (work) => { try { return String(work()) } catch (error) { return 'refused: ' + error.code } }
    const report = {
      secret: tried(() => use('fs').readFileSync(${JSON.stringify(join(engine.dataDir, 'secrets.json'))}, 'utf8')),
      child: tried(() => use('child_process').execFileSync('/bin/echo', ['ran'])),
      environment: Object.keys(process.env).join(),
      uncounted: ['/', '/dev/shm/'].map((place) => tried(() => use('fs').writeFileSync(place + 'x', 'x'))).join(),
    }
    for (const folder of [${JSON.stringify(engine.folderOf(row))}, '/svc/database']) {
      tried(() => use('fs').writeFileSync(folder + '/attack.json', JSON.stringify(report)))
    }
    // The engine never gives control back to the event loop, so the connection is begun without it.
    tried(() => {
      const { TCP, TCPConnectWrap, constants } = process.binding('tcp_wrap')
      return new TCP(constants.SOCKET).connect(new TCPConnectWrap(), '127.0.0.1', ${port})
    })
  })()`
}

/** As a superuser writes a file and loads it as a library. */
function attackStatements(): string[] {
  const hex = sideModule(payload()).toString('hex')
  return [
    'set session authorization postgres',
    `select lo_from_bytea(4242, '\\x${hex}')`,
    `select lo_export(4242, '/tmp/attack.so')`,
    `create function attack() returns int language c as '/tmp/attack.so', 'attack'`,
    'select lo_unlink(4242)',
  ]
}

function report(): Report | undefined {
  return existsSync(reportFile()) ? (JSON.parse(readFileSync(reportFile(), 'utf8')) as Report) : undefined
}

/** Runs the attack against an engine that is started with another command than ours. */
async function attackUnder(toCommand: (places: EnginePlaces) => Command): Promise<Report | undefined> {
  const entry = (name: string) =>
    createRequire(import.meta.url)
      .resolve(name)
      .replace(/\.cjs$/, '.js')
  const packageOf = (name: string) => ({ folder: dirname(dirname(entry(name))), entry: entry(name) })
  const places = {
    node: process.execPath,
    script: workerEntry('src/server/areas/databases/engine/embedded/engine-child.ts'),
    pglite: packageOf('@electric-sql/pglite'),
    pgvector: packageOf('@electric-sql/pglite-pgvector'),
    folder: engine.folderOf(row),
  }
  const started = await EngineProcess.start({
    command: toCommand(places),
    pidFile: `${engine.folderOf(row)}.pid`,
    memoryBytes: 2 ** 30,
    startMs: 120_000,
  })
  for (const statement of attackStatements()) {
    const parts: Buffer[] = []
    await started.exchange(query(statement), 60_000, (part) => void parts.push(part)).catch(() => undefined)
    messagesOf(Buffer.concat(parts))
  }
  started.kill()
  await started.exited
  return report()
}

const without = (command: Command, ...flags: string[]): Command => ({
  ...command,
  args: command.args.filter((argument) => !flags.some((flag) => argument.startsWith(flag))),
})

describe('a developer who becomes superuser and loads a module of their own', () => {
  it('would run code in an engine without any protection, so the attack of these tests is real', async () => {
    const bare = await attackUnder((places) =>
      without(engineCommand(places, undefined), '--permission', '--allow-fs', '--disallow-code-generation'),
    )
    expect(bare).toMatchObject({ secret: 'TOPSECRET', child: 'ran\n' })
    await until(() => connections === 1)
  })

  it('DS-21 runs nothing through a connection string, and the secrets beside the database stay unread', async () => {
    await using owner = await engine.connect(row)
    const codes: unknown[] = []
    for (const statement of attackStatements()) codes.push(await codeOf(owner.query(statement)))
    expect(codes.slice(0, 3)).toEqual(['no error', 'no error', 'no error'])
    expect(codes[3]).not.toBe('no error')
    expect(report()).toBeUndefined()
    await using next = await engine.connect(row)
    expect(await single(next, 'select current_user')).toBe(row.owner_role)
  })

  it('DS-21 without bubblewrap no code can be made from text', async () => {
    expect(await attackUnder((places) => engineCommand(places, undefined))).toBeUndefined()
  })

  it('DS-21 without bubblewrap and with eval left on, other files and processes are refused', async () => {
    const belted = await attackUnder((places) =>
      without(engineCommand(places, undefined), '--disallow-code-generation'),
    )
    expect(belted).toMatchObject({ secret: 'refused: ERR_ACCESS_DENIED', child: 'refused: ERR_ACCESS_DENIED' })
    expect(belted?.environment).toBe('')
  })
})

needs('bubblewrap')('inside bubblewrap', () => {
  it('DS-21 even code that runs finds no file, no process and no network but its own', async () => {
    const walled = await attackUnder((places) =>
      without(engineCommand(places, BUBBLEWRAP), '--permission', '--allow-fs', '--disallow-code-generation'),
    )
    expect(walled).toMatchObject({ secret: 'refused: ENOENT', child: 'refused: ENOENT', environment: 'PWD' })
    expect(walled?.uncounted).toBe('refused: EROFS,refused: EROFS')
    expect(connections).toBe(0)
  })
})
