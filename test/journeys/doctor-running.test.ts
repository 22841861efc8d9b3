import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { embeddedEnvironment } from '#test/embedded-environment.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { svcServer } from '#test/programs/svc-server.ts'

type Report = { status: string; checks: { name: string; status: string; findings: { message: string }[] }[] }

describe('OP-03 svc-server doctor beside a server on the embedded database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  const env = { ...embeddedEnvironment(folder), SVC_EXAMPLE: 'false' }
  let server: ServerProcess | undefined
  beforeAll(async () => {
    server = await startProcess(env)
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it('makes every check while the server runs, on a copy that it removes, and says what is not set up', async () => {
    const { exit, stdout } = await svcServer(env, 'doctor', '--json')
    const { checks } = JSON.parse(stdout) as Report
    const namesOf = (status: string) => checks.filter((check) => check.status === status).map(({ name }) => name)
    expect(exit).toBe(0)
    expect(namesOf('not_set_up')).toEqual(
      expect.arrayContaining(['mail', 'sign-in', 'redis', 'identity providers', 'public address', 'backups']),
    )
    expect([namesOf('skipped'), namesOf('problem')]).toEqual([[], []])
    expect(namesOf('ok')).toEqual(
      expect.arrayContaining(['server', 'database', 'migrations', 'data keys', 'outbox', 'jobs', 'partitions']),
    )
    const [running] = checks.find(({ name }) => name === 'database')!.findings
    expect(running!.message).toMatch(/^A server runs: .* is in use by process \d+, started .*\. It made a copy/)
    expect(existsSync(join(folder, 'backup-copies'))).toBe(false)
  })

  it('names once what it could not look at, where the server that has the folder makes no copy', async () => {
    await server?.[Symbol.asyncDispose]()
    server = undefined
    using _holder = lockFolder(folder)
    const { stdout } = await svcServer(env, 'doctor')
    expect(stdout).toContain('It made no copy of its database for these checks: it does not answer')
    expect(stdout.split('\n').filter((line) => line.startsWith('skipped'))).toEqual([
      'skipped    migrations, data keys, clock, managed databases, outbox, jobs, destinations, partitions',
    ])
    expect(stdout).toContain('→ Repeat, or stop the server first.')
  })
})
